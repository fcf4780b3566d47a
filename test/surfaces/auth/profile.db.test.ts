import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { asJson } from '../../kit/columns.ts'
import { admin, audits, send, traces } from './accounts.ts'

describe('auth.me.change', () => {
  it('changes the given fields, returns and stores the whole profile', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const { adminToken: token, adminId, tenantId } = await app.team()
    const before = (await send(app, 'GET /me', { token })).json
    clock.advance(1_000)
    const changes = { phone: '+44 20 7946 0000', about: 'Runs the shop.\nSince 2019.', country: 'GB' }
    const changed = await send(app, 'PATCH /me', { token, body: changes })
    expect(changed).toMatchObject({ status: 200, json: { ...before, ...changes } })
    expect(Object.keys(changed.json)).toEqual(Object.keys(before))
    expect((await send(app, 'GET /me', { token })).json).toEqual(changed.json)
    const next = await send(app, 'PATCH /me', {
      token,
      body: { ...changes, name: '  Ada B. Admin ', whatsapp: '1' },
    })
    expect(next.json).toEqual({ ...changed.json, name: 'Ada B. Admin', whatsapp: '1' })
    const [first, second] = await audits(app, 'auth.profile.change')
    expect(first).toMatchObject({
      actor_id: adminId,
      tenant_id: tenantId,
      resource_type: 'user',
      resource_id: adminId,
    })
    expect(asJson(first?.before)).toEqual({ phone: null, about: null, country: null })
    expect(asJson(first?.after)).toEqual(changes)
    expect(asJson(second?.before)).toEqual({ name: 'Ada Admin', whatsapp: null })
  })

  it('clears a field with an empty text or null, and keeps omitted fields', async () => {
    await using app = await createTestApp()
    const { adminToken: token } = await app.team()
    await send(app, 'PATCH /me', { token, body: { phone: '1', about: 'x', country: 'GB' } })
    const emptied = await send(app, 'PATCH /me', { token, body: { phone: '', about: null } })
    expect(emptied.json).toMatchObject({ phone: null, about: null, country: 'GB', name: 'Ada Admin' })
    const rows = await contents(app, ['users'])
    expect((await send(app, 'PATCH /me', { token, body: {} })).json).toEqual(emptied.json)
    expect(await contents(app, ['users'])).toEqual(rows)
  })

  it.each([
    ['name', ''],
    ['name', '   '],
    ['name', null],
    ['name', 5],
    ['name', 'x'.repeat(201)],
    ['phone', 12],
    ['about', 'x'.repeat(5_001)],
    ['role', 'super_admin'],
    ['email', 'other@test.example'],
    ['appAccess', ['manage']],
    ['tenantId', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ['image', 'https://img'],
  ])('rejects %s: %j by name, and changes nothing', async (field, value) => {
    await using app = await createTestApp()
    const { adminToken: token } = await app.team()
    const before = await contents(app, [...traces, 'audit_records'])
    expect(await send(app, 'PATCH /me', { token, body: { about: 'New', [field]: value } })).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR', field } },
    })
    expect(await contents(app, [...traces, 'audit_records'])).toEqual(before)
  })

  it('changes only the caller’s profile, for users of every role', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const email = 'root@test.example'
    await app.copydesk
      .asSystem()
      .users.create({ email, name: 'Root', password: 'Correct-horse-1', role: 'super_admin' })
    const { accessToken } = await app.clientFor().call('auth', 'POST /login', {
      body: { email, password: 'Correct-horse-1', app: 'manage' },
    })
    for (const [client, name] of [
      [team.reviewer, 'Rita R.'],
      [team.member, 'Mia M.'],
      [app.clientFor(accessToken), 'Root R.'],
    ] as const) {
      expect(await client.call('auth', 'PATCH /me', { body: { name } })).toMatchObject({ name })
    }
    const rows = await app.db.sql.all<{ name: string; email: string }>(
      'select name, email from users order by name',
    )
    expect(rows.map(({ name }) => name)).toEqual(['Ada Admin', 'Mia M.', 'Rita R.', 'Root R.'])
    expect(rows[0]?.email).toBe(admin)
  })
})
