import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { accept, join, logIn } from './joining.ts'

let app: TestApp
let theirs: Team

beforeAll(async () => {
  app = await createTestApp()
  theirs = await app.team('Neighbour')
})
afterAll(() => app[Symbol.asyncDispose]())

const remove = (team: Team, userId: string) =>
  team.admin.call('dashboard', 'DELETE /team/users/:userId', { params: { userId } })

describe('a user who was removed from the team', () => {
  const inviteAgain = (team: Team, email: string, role: 'admin' | 'member' | 'reviewer' = 'member') =>
    team.admin.call('dashboard', 'POST /team/invite', { body: { email, name: 'Back Again', role } })

  it('can be invited again to the old account, without any earlier access', async () => {
    const team = await app.team('Return')
    const other = await join(app, team, 'bea', 'admin')
    const system = app.copydesk.asSystem()
    const { key } = await system.apiKeys.create({ userId: other.id, name: 'Program' })
    await system.users.assign(other.id, theirs.tenantId)
    await remove(team, other.id)
    const { inviteUrl } = await inviteAgain(team, other.email)
    // Until it is accepted, nothing has changed.
    await expect(logIn(app, other.email)).rejects.toMatchObject({ status: 403 })
    const back = await accept(app, inviteUrl)
    expect(back.user).toMatchObject({
      id: other.id,
      role: 'member',
      appAccess: ['dashboard'],
      name: 'Back Again',
    })
    expect(await back.client.call('auth', 'GET /me')).toMatchObject({ id: other.id })
    const query = { 'filter.status': 'terminated' as const }
    expect((await team.admin.call('dashboard', 'GET /team', { query })).data).toEqual([])
    await expect(other.client.call('auth', 'GET /me')).rejects.toMatchObject({ status: 401 })
    const { refreshToken } = other
    const refresh = app.clientFor().call('auth', 'POST /refresh', { body: { refreshToken } })
    await expect(refresh).rejects.toMatchObject({ status: 401 })
    const byKey = await app.fetch('/agent/v1/health/social_writer', {
      headers: { authorization: `ApiKey ${key}` },
    })
    expect(byKey.status).toBe(401)
    expect(await app.db.sql.all('select id from tenant_assignments where user_id = ?', [other.id])).toEqual(
      [],
    )
    await expect(accept(app, inviteUrl)).rejects.toMatchObject({ status: 404 })
    await expect(inviteAgain(team, other.email)).rejects.toMatchObject({ status: 409 })
    // And off again.
    await remove(team, other.id)
    await expect(back.client.call('auth', 'GET /me')).rejects.toMatchObject({ status: 401 })
  })

  it('stays with the tenant of the account, and does not become a reviewer', async () => {
    const team = await app.team('Former')
    const other = await join(app, team, 'fay', 'member')
    await remove(team, other.id)
    // Another team is not told of the account; its invitation cannot be accepted for it.
    const { inviteUrl } = await inviteAgain(theirs, other.email)
    await expect(accept(app, inviteUrl)).rejects.toMatchObject({ status: 409 })
    await expect(inviteAgain(team, other.email, 'reviewer')).rejects.toMatchObject({ status: 409 })
    await expect(logIn(app, other.email)).rejects.toMatchObject({ status: 403 })
  })

  it('is not reactivated by an invitation when the account was suspended for another reason', async () => {
    const team = await app.team('Twice')
    const other = await join(app, team, 'gus', 'member')
    await remove(team, other.id)
    const { inviteUrl } = await inviteAgain(team, other.email)
    await app.db.write((tx) => tx.run(`update users set status = 'suspended' where id = ?`, [other.id]))
    await expect(accept(app, inviteUrl)).rejects.toMatchObject({ status: 409 })
    await expect(logIn(app, other.email)).rejects.toMatchObject({ status: 403 })
  })
})
