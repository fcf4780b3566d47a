import { password, type Team, type TestApp } from '../kit/app.ts'

export const logIn = (app: TestApp, email: string, to: 'dashboard' | 'dm-portal' = 'dashboard') =>
  app.clientFor().call('auth', 'POST /login', { body: { email, password, app: to } })

/** One more of a tenant, logged in. */
export async function join(app: TestApp, team: Team, name: string, role: 'admin' | 'member') {
  const email = `${name}@test.example`
  const { id } = await app.copydesk
    .asSystem()
    .users.create({ email, name, password, role, tenantId: team.tenantId })
  const { accessToken, refreshToken } = await logIn(app, email)
  return { id, email, token: accessToken, refreshToken, client: app.clientFor(accessToken) }
}

/** Accepts an invitation by its link. */
export async function accept(app: TestApp, inviteUrl: string) {
  const token = new URL(inviteUrl).searchParams.get('token') ?? ''
  const params = { token }
  const reply = await app
    .clientFor()
    .call('auth', 'POST /invitations/:token/accept', { params, body: { password } })
  return { ...reply, client: app.clientFor(reply.accessToken) }
}
