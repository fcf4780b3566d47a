import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { mailsOf, tokenIn } from '../../kit/mail.ts'
import { accept, join, logIn } from '../joining.ts'

let app: TestApp
let theirs: Team

beforeAll(async () => {
  app = await createTestApp()
  theirs = await app.team('Neighbour')
})
afterAll(() => app[Symbol.asyncDispose]())

const teamOf = async (team: Team, query: Record<string, string> = {}) =>
  (await team.member.call('dashboard', 'GET /team', { query: query as never })).data

const idOf = async (team: Team, role: string) =>
  (await teamOf(team, { 'filter.role': role, 'filter.type': 'human' }))[0]?.id ?? ''

const change = (team: Team, userId: string, role: 'admin' | 'member') =>
  team.admin.call('dashboard', 'PATCH /team/users/:userId', { params: { userId }, body: { role } })

const remove = (team: Team, userId: string) =>
  team.admin.call('dashboard', 'DELETE /team/users/:userId', { params: { userId } })

describe('dashboard.team.list', () => {
  it('lists users and agents of the tenant only, by kind, role and status', async () => {
    const team = await app.team('List')
    const all = await teamOf(team)
    expect(all.slice(0, 2)).toMatchObject([
      { id: team.adminId, type: 'human', name: 'Ada Admin', role: 'admin', status: 'active' },
      { type: 'human', name: 'Mia Member', role: 'member', lastActiveAt: expect.any(String) as string },
    ])
    expect(all.slice(2).every(({ type, agentAdapter }) => type === 'agent' && agentAdapter)).toBe(true)
    const text = JSON.stringify(all)
    for (const { id } of await teamOf(theirs)) expect(text).not.toContain(id)
    // Who reviews for several tenants is none of their teams.
    expect(text).not.toContain(team.reviewerId)
    expect(await teamOf(team, { 'filter.type': 'agent' })).toEqual(all.slice(2))
    expect(await teamOf(team, { 'filter.role': 'analyst' })).toEqual(
      all.filter(({ role }) => role === 'analyst'),
    )
    expect(await teamOf(team, { 'filter.status': 'inactive' })).toEqual([])
    await expect(teamOf(team, { 'filter.status': 'asleep' })).rejects.toMatchObject({
      field: 'filter.status',
    })
  })
})

describe('dashboard.team.invite', () => {
  it('mails one link and returns another; the invitation can be accepted once, with the given role', async () => {
    const team = await app.team('Invite')
    const body = { email: 'new@test.example', name: 'Nia New', role: 'member' as const }
    const invitation = await team.admin.call('dashboard', 'POST /team/invite', { body })
    expect(Object.keys(invitation).toSorted()).toEqual(['expiresAt', 'inviteId', 'inviteUrl'])
    const mail = await app.until(
      async () => (await mailsOf(app)).find(({ to }) => to.includes(body.email)),
      'the mail is sent',
    )
    const handed = new URL(invitation.inviteUrl).searchParams.get('token') ?? ''
    expect(handed).not.toBe(tokenIn(mail))
    const { user } = await accept(app, invitation.inviteUrl)
    expect(user).toMatchObject({ role: 'member', appAccess: ['dashboard'], tenantId: team.tenantId })
    await expect(accept(app, invitation.inviteUrl)).rejects.toMatchObject({ status: 404 })
    expect(await teamOf(team)).toContainEqual(expect.objectContaining({ id: user.id, email: body.email }))
    // The token is in no row.
    const kept = await app.db.sql.all('select * from invitations')
    for (const token of [handed, tokenIn(mail)]) expect(JSON.stringify(kept)).not.toContain(token)
  })

  it('assigns a reviewer to this tenant only, until the reviewer is removed', async () => {
    const team = await app.team('Reviewed')
    const body = { email: 'guest.reviewer@test.example', name: 'Gus Guest', role: 'reviewer' as const }
    const { inviteUrl } = await team.admin.call('dashboard', 'POST /team/invite', { body })
    const { user, client } = await accept(app, inviteUrl)
    expect(user).toMatchObject({ role: 'reviewer', appAccess: ['dm-portal'] })
    expect(user).not.toHaveProperty('tenantId')
    const seen = async () => {
      const { data } = await client.call('dm', 'GET /team')
      return [...new Set(data.map(({ tenantId }) => tenantId))]
    }
    expect(await seen()).toEqual([team.tenantId])
    expect(await teamOf(team, { 'filter.role': 'reviewer' })).toMatchObject([
      { id: user.id, status: 'active' },
    ])
    await expect(change(team, user.id, 'admin')).rejects.toMatchObject({ status: 404 })
    await remove(team, user.id)
    expect(await seen()).toEqual([])
    expect(await teamOf(team, { 'filter.role': 'reviewer' })).toEqual([])
    // One who was not invited here is not the tenant's to send away.
    await expect(remove(team, team.reviewerId)).rejects.toMatchObject({ status: 404 })
  })

  it('rejects members, operators and users of the same team; reveals nothing about other accounts', async () => {
    const team = await app.team('Refused')
    const body = { email: 'x@test.example', name: 'X', role: 'member' as const }
    await expect(team.member.call('dashboard', 'POST /team/invite', { body })).rejects.toMatchObject({
      status: 403,
    })
    const elsewhere = { ...body, email: 'admin.0.neighbour@test.example' }
    expect(await team.admin.call('dashboard', 'POST /team/invite', { body: elsewhere })).toEqual({
      inviteId: expect.any(String),
      inviteUrl: expect.any(String),
      expiresAt: expect.any(String),
    })
    const { email = '' } = (await teamOf(team, { 'filter.role': 'admin', 'filter.type': 'human' }))[0] ?? {}
    const own = { ...body, email }
    await expect(team.admin.call('dashboard', 'POST /team/invite', { body: own })).rejects.toMatchObject({
      status: 409,
      code: 'CONFLICT',
      field: 'email',
    })
    const operator = { ...body, role: 'super_admin' as never }
    await expect(team.admin.call('dashboard', 'POST /team/invite', { body: operator })).rejects.toMatchObject(
      {
        status: 400,
        field: 'role',
      },
    )
  })
})

describe('dashboard.team.change', () => {
  it('changes a member to an admin and back; tokens with the old role are rejected', async () => {
    const team = await app.team('Change')
    const other = await join(app, team, 'otto', 'member')
    expect(await change(team, other.id, 'admin')).toMatchObject({
      id: other.id,
      role: 'admin',
      status: 'active',
    })
    await expect(other.client.call('auth', 'GET /me')).rejects.toMatchObject({ status: 401 })
    const { accessToken, user } = await logIn(app, other.email)
    expect(user).toMatchObject({ role: 'admin', appAccess: ['dashboard'] })
    const admin = app.clientFor(accessToken)
    const invite = { body: { email: 'y@test.example', name: 'Y', role: 'member' as const } }
    await admin.call('dashboard', 'POST /team/invite', invite)
    // An admin who was given the reviewers' portal leaves it with the role.
    await app.db.write((tx) =>
      tx.run(`update users set app_access = ? where id = ?`, [
        JSON.stringify(['dashboard', 'dm-portal']),
        other.id,
      ]),
    )
    await change(team, other.id, 'member')
    await expect(admin.call('dashboard', 'POST /team/invite', invite)).rejects.toMatchObject({ status: 401 })
    const { refreshToken } = other
    await expect(
      app.clientFor().call('auth', 'POST /refresh', { body: { refreshToken } }),
    ).rejects.toMatchObject({ status: 401 })
    await expect(logIn(app, other.email, 'dm-portal')).rejects.toMatchObject({ status: 403 })
    expect((await logIn(app, other.email)).user).toMatchObject({ role: 'member', appAccess: ['dashboard'] })
  })

  it('changes nothing and ends no session when the user has the role already', async () => {
    const team = await app.team('Same')
    expect(await change(team, team.adminId, 'admin')).toMatchObject({ role: 'admin' })
    await team.admin.call('auth', 'GET /me')
  })

  it('keeps the last admin, also when two are demoted concurrently', async () => {
    const team = await app.team('Last')
    await expect(change(team, team.adminId, 'member')).rejects.toMatchObject({
      status: 409,
      code: 'CONFLICT',
    })
    await expect(remove(team, team.adminId)).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
    await team.admin.call('auth', 'GET /me')
    const other = await join(app, team, 'olga', 'admin')
    const client = { ...team, admin: other.client }
    const answers = await Promise.allSettled([change(client, team.adminId, 'member'), remove(team, other.id)])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const [left] = await app.db.sql.all<{ n: number }>(
      `select count(*) as n from users where tenant_id = ? and role = 'admin' and status = 'active'`,
      [team.tenantId],
    )
    expect(Number(left?.n)).toBe(1)
  })

  it('rejects members, and users of another tenant', async () => {
    const team = await app.team('Foreign')
    const memberId = await idOf(team, 'member')
    const params = { userId: memberId }
    await expect(
      team.member.call('dashboard', 'PATCH /team/users/:userId', { params, body: { role: 'admin' } }),
    ).rejects.toMatchObject({ status: 403 })
    await expect(
      team.member.call('dashboard', 'DELETE /team/users/:userId', { params }),
    ).rejects.toMatchObject({ status: 403 })
    for (const id of [theirs.adminId, team.reviewerId, '01HZZZZZZZZZZZZZZZZZZZZZZZ']) {
      await expect(change(team, id, 'member')).rejects.toMatchObject({ status: 404 })
      await expect(remove(team, id)).rejects.toMatchObject({ status: 404 })
    }
    await expect(change(team, memberId, 'reviewer' as never)).rejects.toMatchObject({
      status: 400,
      field: 'role',
    })
  })
})

describe('dashboard.team.remove', () => {
  it('ends tokens, keys and open streams at once, and keeps the user’s activities', async () => {
    const team = await app.team('Remove')
    const other = await join(app, team, 'ole', 'member')
    const { key } = await app.copydesk.asSystem().apiKeys.create({ userId: other.id, name: 'Program' })
    const stream = await app.fetch('/dashboard/v1/events/stream', {
      headers: { authorization: `Bearer ${other.token}` },
    })
    await remove(team, other.id)
    await expect(other.client.call('auth', 'GET /me')).rejects.toMatchObject({ status: 401 })
    await expect(logIn(app, other.email)).rejects.toMatchObject({ status: 403 })
    const { refreshToken } = other
    await expect(
      app.clientFor().call('auth', 'POST /refresh', { body: { refreshToken } }),
    ).rejects.toMatchObject({ status: 401 })
    const byKey = await app.fetch('/agent/v1/health/social_writer', {
      headers: { authorization: `ApiKey ${key}` },
    })
    expect(byKey.status).toBe(401)
    // It ends by itself.
    await stream.text()
    expect(await teamOf(team, { 'filter.status': 'terminated' })).toMatchObject([{ id: other.id }])
    await expect(remove(team, other.id)).rejects.toMatchObject({ status: 404 })
    await expect(change(team, other.id, 'admin')).rejects.toMatchObject({ status: 404 })
  })
})

describe('dashboard.org_chart.get', () => {
  it('returns every user of the tenant once, and every edge between two of them', async () => {
    const team = await app.team('Chart')
    const second = await join(app, team, 'sven', 'admin')
    const gone = await join(app, team, 'gert', 'member')
    await remove(team, gone.id)
    const { nodes, edges } = await team.member.call('dashboard', 'GET /org-chart')
    const everybody = (await teamOf(team)).filter(({ id }) => id !== gone.id)
    expect(nodes.map(({ id }) => id)).toEqual(everybody.map(({ id }) => id))
    expect(nodes.filter(({ reportsTo }) => reportsTo === undefined).map(({ id }) => id)).toEqual([
      team.adminId,
      second.id,
    ])
    expect(edges).toEqual(
      nodes.flatMap(({ id, reportsTo, type }) =>
        reportsTo === undefined
          ? []
          : [{ from: id, to: reportsTo, label: type === 'agent' ? 'asks for approval' : 'reports to' }],
      ),
    )
    expect(new Set(edges.map(({ to }) => to))).toEqual(new Set([team.adminId]))
  })
})
