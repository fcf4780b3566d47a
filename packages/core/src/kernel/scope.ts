import { placeholders } from '../platform/database/database.ts'
import type { Ctx, Scope } from './context.ts'
import { DomainError } from './errors.ts'

/**
 * The one tenant of a context that has exactly one, as on every tenant surface.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the caller could mean several
 */
export function oneTenant(ctx: Ctx): string {
  if (ctx.scope !== 'all' && ctx.scope.length === 1) return ctx.scope[0] as string
  throw new DomainError('VALIDATION_ERROR', 'Name one tenant in tenantId', { field: 'tenantId' })
}

/** The condition that keeps a hand-written statement inside the scope, with its values. */
export function within(scope: Scope, column: string): { sql: string; params: string[] } {
  return scope === 'all'
    ? { sql: '1 = 1', params: [] }
    : { sql: `${column} in (${placeholders(scope)})`, params: [...scope] }
}

/** What a caller is told who names a tenant that is not theirs; one that there is not is answered alike. */
export const notAssigned = () => new DomainError('FORBIDDEN', 'You are not assigned to this tenant')

/**
 * The same context for one of its tenants alone, which the caller has named.
 * @throws DomainError `FORBIDDEN` for a tenant outside the scope
 */
export function narrowed(ctx: Ctx, tenantId: string): Ctx {
  if (ctx.scope !== 'all' && !ctx.scope.includes(tenantId)) throw notAssigned()
  return { ...ctx, scope: [tenantId] }
}
