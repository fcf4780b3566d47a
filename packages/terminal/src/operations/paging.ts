import { tenantNaming } from '../account/tenant-named.ts'
import { type Row, row, span } from '../paper/row.ts'

/** Says how to go on where a list has more than was shown. */
export function more({ pagination }: { pagination: { nextCursor: string | null } }): Row[] {
  return pagination.nextCursor ? [row(span(`more with --cursor ${pagination.nextCursor}`, 'dim'))] : []
}

export const limit = {
  kind: 'number',
  value: 'count',
  min: 1,
  max: 100,
  summary: 'how many at the most (25)',
} as const
export const cursor = { kind: 'text', value: 'cursor', summary: 'go on where a list before ended' } as const
export const onlyTenant = {
  kind: 'text',
  value: 'tenant',
  summary: `only of this tenant: ${tenantNaming}`,
  completes: 'tenant',
} as const

/** The query of a list that can be narrowed to a tenant. */
export function ofTenant(tenant: string | undefined): { tenantId?: string } {
  return tenant === undefined ? {} : { tenantId: tenant }
}
