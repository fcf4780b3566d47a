import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { randomToken, sha256Hex } from '../../../platform/crypto/hash.ts'
import { Tenant } from '../tenants/entities.ts'
import { Session, User } from './entities.ts'
import { tokenLifetimes } from './tokens.ts'

export interface ImpersonationOptions {
  impersonationToken: string
  dashboardUrl: string
}

/**
 * Issues a token with which a super-admin sees the dashboard as an admin of the tenant does, and changes nothing. It lives
 * 30 minutes at the most and dies with what it was issued with. Serves `POST /admin/v1/tenants/:tenantId/impersonate`.
 * @param as id of the super-admin who looks, for a program that acts as the installation itself
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on `as`; `FORBIDDEN` for anybody but an active super-admin
 */
export function impersonate(
  ctx: Ctx,
  tenantId: string,
  { as }: { as?: string } = {},
): Promise<ImpersonationOptions> {
  return transact(ctx, async (txn) => {
    const visible = txn.scope === 'all' || txn.scope.includes(tenantId)
    if (!visible || !(await txn.em.findOne(Tenant, { id: tenantId }))) throw notFound('tenant')
    const { sid, ...who } = await grantOf(txn, as)
    const expiresAt = new Date(txn.clock.now() + tokenLifetimes.impersonation * 1000)
    txn.audit({
      tenantId,
      resourceType: 'tenant',
      resourceId: tenantId,
      after: { impersonatedBy: who.sub, expiresAt: expiresAt.toISOString() },
      action: 'tenant.impersonated',
    })
    return {
      impersonationToken: await txn.services.tokens.sign('impersonation', { ...who, tenantId, sid }),
      dashboardUrl: `${txn.services.settings.baseUrl}/dashboard/v1`,
    }
  })
}

/** The same for a tenant that is named in the body. Serves `POST /cli/v1/impersonate`. */
export const impersonateNamed = (
  ctx: Ctx,
  { tenantId }: { tenantId: string },
): Promise<ImpersonationOptions> => impersonate(ctx, tenantId)

/** Whom the token speaks for, and the session or API key that it hangs on. */
async function grantOf(txn: Transaction, as: string | undefined) {
  const { actor } = txn
  const given = actor.sessionId ?? actor.keyId
  const id = given === undefined ? (as ?? actor.id) : actor.id
  if (id === 'system') throw invalid('as', 'Name the super-admin who looks at the tenant')
  const user = await txn.em.findOne(User, { id })
  if (!user) throw notFound('user')
  if (user.role !== 'super_admin' || user.status !== 'active')
    throw new DomainError('FORBIDDEN', 'Only an active super-admin looks at tenants')
  const who = { sub: user.id, name: user.name, email: user.email }
  if (given !== undefined) return { ...who, sid: given }
  // A session whose refresh token no one knows: ending the person's sessions ends this one too.
  const now = txn.clock.date()
  const session = txn.em.create(Session, {
    id: txn.newId(),
    userId: user.id,
    tokenHash: sha256Hex(randomToken(32)),
    expiresAt: new Date(now.getTime() + tokenLifetimes.impersonation * 1000),
    createdOn: now,
  })
  return { ...who, sid: session.id }
}
