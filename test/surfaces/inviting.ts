import type { Role } from '../../packages/core/src/domain/context.ts'
import type { TestApp } from '../kit/app.ts'
import { nthMail, tokenIn } from '../kit/mail.ts'

/** Somebody who is invited, as the inviter writes it and as it is kept. */
export const eve = 'Eve.New@test.example'
export const email = 'eve.new@test.example'

/** The services on invitations as somebody of a tenant has them. */
export const of = (
  app: TestApp,
  { tenantId, adminId }: { tenantId: string; adminId: string },
  role: Role = 'admin',
) =>
  app.copydesk.as({
    tenantId,
    actor: { id: adminId, type: 'human', role, tenantId, appAccess: ['dashboard'] },
  }).invitations

/** Invites somebody and reads the mail, the `count`th of all. */
export async function invited(
  app: TestApp,
  team: { tenantId: string; adminId: string },
  count = 1,
  to = eve,
) {
  const made = await of(app, team).create({ email: to, name: 'Eve New', role: 'member' })
  return { id: made.id, token: tokenIn(await nthMail(app, count)) }
}
