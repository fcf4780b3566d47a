import { check } from '../check.ts'
import { command } from '../command.ts'
import type { Ctx, Role } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { plainName } from '../names.ts'
import { Tenant } from '../tenants/entities.ts'
import { addUser } from './add-user.ts'
import { companyNames } from './company-queries.ts'
import { TenantAssignment } from './entities.ts'
import { hashNewPassword } from './new-password.ts'
import { grantTenant, tellChanged, withdrawTenant } from './grants.ts'
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
  return command(ctx, async (cmd) => {
    const tenantIds = [...(input.tenantIds ?? []), ...(input.tenantId ? [input.tenantId] : [])]
    for (const id of tenantIds) if (!(await cmd.em.findOne(Tenant, { id }))) throw notFound('tenant')
    const user = await addUser(cmd, {
      email: email.data,
      name,
      passwordHash,
      role: input.role,
      tenantId: input.tenantId ?? null,
      mailboxProof: 'operator',
    })
    for (const tenantId of input.tenantIds ?? [])
      cmd.em.create(TenantAssignment, {
        id: cmd.newId(),
        userId: user.id,
        tenantId,
        createdOn: user.createdOn,
      })
    cmd.audit({
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
 * Lets a reviewer work for one more tenant. Where nobody has proved the mailbox of the account yet, the tenant waits for that, and
 * the person is asked for it by mail.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for anybody but a reviewer or admin
 */
export function assignTenant(ctx: Ctx, userId: string, tenantId: string): Promise<{ pending: boolean }> {
  return command(ctx, async (cmd) => {
    const user = await lockUser(cmd, userId)
    if (!user) throw notFound('user')
    if (!(await cmd.em.findOne(Tenant, { id: tenantId }))) throw notFound('tenant')
    if (user.role !== 'reviewer' && user.role !== 'admin')
      throw new DomainError('UNPROCESSABLE', `A ${user.role} is not assigned to tenants`)
    const outcome = await grantTenant(cmd, user, tenantId)
    const pending = outcome === 'pending'
    if (outcome === 'none') return { pending }
    cmd.audit({
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
  return command(ctx, async (cmd) => {
    if (!(await withdrawTenant(cmd, userId, tenantId)))
      throw new DomainError('NOT_FOUND', 'This user does not work for this tenant')
    tellChanged(cmd, userId)
    cmd.audit({
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
