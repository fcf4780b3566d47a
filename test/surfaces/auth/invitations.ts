import { adminOf, type TestApp } from '../../kit/app.ts'
import { nthMail, tokenIn } from '../../kit/mail.ts'

/** Someone who is invited, as the inviter writes it and as it is kept. */
export const eve = 'Eve.New@test.example'
export const email = 'eve.new@test.example'

/** The services on invitations of one tenant, on behalf of its admin. */
export const of = (app: TestApp, team: { tenantId: string; adminId: string }) =>
  app.copydesk.asSystem({ tenantId: team.tenantId, onBehalfOf: adminOf(team) }).invitations

/** Invites someone and reads the mail, the `count`th of all. */
export async function invited(
  app: TestApp,
  team: { tenantId: string; adminId: string },
  count = 1,
  to = eve,
) {
  const made = await of(app, team).create({ email: to, name: 'Eve New', role: 'member' })
  return { id: made.id, token: tokenIn(await nthMail(app, count)) }
}
