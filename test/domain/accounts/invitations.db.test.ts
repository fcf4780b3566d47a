import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { mailsOf, nthMail } from '../../kit/mail.ts'
import { admin, send, traces } from '../../surfaces/auth/accounts.ts'
import { email, eve, invited, of } from '../../surfaces/auth/invitations.ts'
import { contents } from '../contents.ts'

const everything = [...traces, 'audit_records']

describe('the invitations of a tenant', () => {
  it('cannot be read or changed by another tenant', async () => {
    await using app = await createTestApp()
    const [own, neighbour] = [await app.team(), await app.team()]
    const { id, token } = await invited(app, own)
    const before = await contents(app, everything)
    const theirs = of(app, neighbour)
    expect(await theirs.list()).toEqual([])
    expect(await theirs.list({ tenantId: own.tenantId })).toEqual([])
    for (const call of [
      () => theirs.resend(id),
      () => theirs.revoke(id),
      () => theirs.create({ email: 'x@test.example', role: 'admin', tenantId: own.tenantId }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await contents(app, everything)).toEqual(before)
    const system = app.copydesk.asSystem().invitations
    expect(await system.list({ tenantId: neighbour.tenantId })).toEqual([])
    expect(await system.list()).toMatchObject([{ id, tenantId: own.tenantId }])
    await expect(system.create({ email: 'x@test.example', role: 'admin' })).rejects.toMatchObject({
      field: 'tenantId',
    })
    await system.revoke(id)
    expect((await send(app, `GET /invitations/${token}`)).status).toBe(404)
  })

  it('exist once per e-mail address, and not for addresses with an account', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const both = await Promise.allSettled([
      of(app, team).create({ email: eve, role: 'admin' }),
      of(app, team).create({ email: email.toUpperCase(), role: 'member' }),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(both.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } })
    await expect(of(app, team).create({ email: admin, role: 'member' })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect(await of(app, team).list()).toMatchObject([{ name: 'eve new', status: 'pending' }])
    await nthMail(app, 1)
    expect((await mailsOf(app))[0]).toMatchObject({ to: email })
  })

  it.each([
    ['email', { email: 'nobody', role: 'member' }],
    ['name', { email, name: ' ', role: 'member' }],
    ['name', { email, name: 'x'.repeat(201), role: 'member' }],
    ['role', { email, role: 'super_admin' }],
  ])('are rejected with an invalid %s', async (field, input) => {
    await using app = await createTestApp()
    const team = await app.team()
    await expect(of(app, team).create(input as never)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field,
    })
    expect(await of(app, team).list()).toEqual([])
  })
})
