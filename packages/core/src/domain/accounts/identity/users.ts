import { check } from '../../../kernel/check.ts'
import type { Ctx, Role, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { plainName } from '../../../kernel/names.ts'
import { transact } from '../../../kernel/transact.ts'
import { Tenant } from '../tenants/entities.ts'
import { addUser } from './add-user.ts'
import { Invitation, TenantAssignment, User } from './entities.ts'
import { grantTenant, publishAccessChanged, withdrawTenant } from './grants.ts'
import { hashNewPassword } from './new-password.ts'
import { companyNames } from './queries.ts'
import { Email, Password } from './schemas.ts'
import { lockUser } from './sessions.ts'

export interface NewUser {
  email: string
  name: string
  password: string
  role: Exclude<Role, 'agent'>
  /** Of an admin or member. Staff belong to no tenant. */
  tenantId?: string
  /** Tenants that a reviewer works for. */
  tenantIds?: string[]
}

export interface UserSummary {
  id: string
  email: string
  name: string
  role: Role
  status: string
  tenantId: string | null
  createdOn: Date
}

/**
 * Creates a person.
 * @throws DomainError `VALIDATION_ERROR`; `NOT_FOUND` for the tenant; `CONFLICT` when the e-mail is taken
 */
export async function createUser(ctx: Ctx, input: NewUser): Promise<UserSummary> {
  const email = Email.safeParse(input.email.trim())
  if (!email.success) throw invalid('email', `${input.email} is no e-mail address`)
  const password = Password.safeParse(input.password)
  if (!password.success)
    throw invalid('password', password.error.issues[0]?.message ?? 'The password does not fit')
  const name = check(plainName(200), input.name, 'name')
  const ofTenant = input.role === 'admin' || input.role === 'member'
  if (ofTenant !== (input.tenantId !== undefined)) {
    throw invalid(
      'tenantId',
      ofTenant
        ? `A user with the role ${input.role} belongs to a tenant`
        : `A ${input.role} belongs to no tenant`,
    )
  }
  const companies = await companyNames(ctx.sql, input.tenantId ?? null)
  const passwordHash = await hashNewPassword(ctx, { password: password.data, email: email.data, companies })
  return transact(ctx, async (txn) => {
    const tenantIds = [...(input.tenantIds ?? []), ...(input.tenantId ? [input.tenantId] : [])]
    for (const id of tenantIds) if (!(await txn.em.findOne(Tenant, { id }))) throw notFound('tenant')
    const user = await addUser(txn, {
      email: email.data,
      name,
      passwordHash,
      role: input.role,
      tenantId: input.tenantId ?? null,
      mailboxProof: 'operator',
    })
    for (const tenantId of input.tenantIds ?? [])
      txn.em.create(TenantAssignment, {
        id: txn.newId(),
        userId: user.id,
        tenantId,
        createdOn: user.createdOn,
      })
    txn.audit({
      tenantId: user.tenantId,
      resourceType: 'user',
      resourceId: user.id,
      after: { email: user.email, role: user.role },
      action: 'user.create',
    })
    return toSummary(user)
  })
}

/**
 * Lets a reviewer work for one more tenant. Where no one has proved the mailbox of the account yet, the tenant waits for that, and
 * the person is asked for it by mail.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for anybody but a reviewer or admin
 */
export function assignTenant(ctx: Ctx, userId: string, tenantId: string): Promise<{ pending: boolean }> {
  return transact(ctx, async (txn) => {
    const user = await lockUser(txn, userId)
    if (!user) throw notFound('user')
    if (!(await txn.em.findOne(Tenant, { id: tenantId }))) throw notFound('tenant')
    if (user.role !== 'reviewer' && user.role !== 'admin')
      throw new DomainError('UNPROCESSABLE', `A ${user.role} is not assigned to tenants`)
    const outcome = await grantTenant(txn, user, tenantId)
    const pending = outcome === 'pending'
    if (outcome === 'none') return { pending }
    txn.audit({
      tenantId,
      resourceType: 'user',
      resourceId: userId,
      after: { assignedTo: tenantId, ...(pending && { pending }) },
      action: 'user.assign',
    })
    return { pending }
  })
}

/**
 * Ends a reviewer's work for a tenant: nothing of it is shown from then on, and open streams end so that they come back without it.
 * @throws DomainError `NOT_FOUND` when the user does not work for the tenant
 */
export function unassignTenant(ctx: Ctx, userId: string, tenantId: string): Promise<void> {
  return transact(ctx, async (txn) => {
    if (!(await withdrawTenant(txn, userId, tenantId)))
      throw new DomainError('NOT_FOUND', 'This user does not work for this tenant')
    publishAccessChanged(txn, userId)
    txn.audit({
      tenantId,
      resourceType: 'user',
      resourceId: userId,
      before: { assignedTo: tenantId },
      action: 'user.unassign',
    })
  })
}

function toSummary(user: UserSummary): UserSummary {
  const { id, email, name, role, status, tenantId, createdOn } = user
  return { id, email, name, role, status, tenantId, createdOn }
}

/** True for a reviewer whom a tenant has invited itself and who works for it: such a one is of its team. */
export async function isInvitedReviewer(
  txn: Transaction,
  userId: string,
  tenantId: string,
): Promise<boolean> {
  if (!(await txn.em.findOne(TenantAssignment, { userId, tenantId }))) return false
  const user = await txn.em.findOne(User, { id: userId, role: 'reviewer' })
  const came = { tenantId, email: user?.email ?? '', role: 'reviewer' as const, acceptedOn: { $ne: null } }
  return user !== null && (await txn.em.count(Invitation, came)) > 0
}
