import { tenantNaming } from '../account/tenant-named.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { UsageError } from './invocation.ts'

/** The option to continue with when a list has more items than were shown. */
export function more({ pagination }: { pagination: { nextCursor: string | null } }): StyledLine[] {
  return pagination.nextCursor ? [row(span(`more with --cursor ${pagination.nextCursor}`, 'dim'))] : []
}

/** The page at which a list with numbered pages continues; the first without a cursor. @throws UsageError */
export function pageAt(from: string | undefined): number {
  const page = from === undefined ? 1 : Number(from)
  if (Number.isSafeInteger(page) && page > 0) return page
  throw new UsageError('--cursor must be the number of a page, such as 2', 'cursor')
}

export const limit = {
  kind: 'number',
  value: 'count',
  min: 1,
  max: 100,
  summary: 'maximum number of items (25)',
} as const
export const cursor = {
  kind: 'text',
  value: 'cursor',
  summary: 'continue at this cursor of a previous list',
} as const
export const onlyTenant = {
  kind: 'text',
  value: 'tenant',
  summary: `only of this tenant: ${tenantNaming}`,
  completes: 'tenant',
} as const

/** The query of a list that accepts a tenant. */
export function ofTenant(tenant: string | undefined): { tenantId?: string } {
  return tenant === undefined ? {} : { tenantId: tenant }
}
