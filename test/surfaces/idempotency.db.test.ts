import { describe, expect, it } from 'vitest'
import { assemble } from '../../packages/core/src/composition/assemble.ts'
import { createCampaign } from '../../packages/core/src/domain/work/campaigns/create.ts'
import type { Principal } from '../../packages/core/src/kernel/context.ts'
import { brief, createTestApp, password, type Team, type TestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'

const minute = 60_000

async function create(app: TestApp, team: Team, key: string, name = 'Spring') {
  const response = await app.fetch('/dashboard/v1/campaigns', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${team.adminToken}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ name, brief, deliverables: [{ type: 'social_post', quantity: 1 }] }),
  })
  const body = (await response.json()) as { id?: string; error?: { code: string; message: string } }
  return { id: body.id, error: body.error, status: response.status }
}

const campaigns = async (app: TestApp) =>
  Number((await app.db.sql.get<{ n: number }>('select count(*) as n from campaigns'))?.n)

/** What a server leaves behind that dies before it has kept its answer. */
const die = (app: TestApp, committed: boolean) =>
  app.db.write(async (tx) => {
    await tx.run('update idempotency_records set status = null, response = null, committed = ?', [committed])
  })

describe('an Idempotency-Key whose server was killed', () => {
  it('after the operation: it is not repeated, and the caller learns that it was executed', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const team = await app.team()
    await create(app, team, 'k1')
    await die(app, true)
    expect(await create(app, team, 'k1')).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', message: expect.stringContaining('still in progress') },
    })
    clock.advance(minute)
    expect(await create(app, team, 'k1')).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', message: expect.stringContaining('its answer was lost') },
    })
    expect(await campaigns(app)).toBe(1)
  })

  it('before the operation: the same request is executed a minute later, once', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const team = await app.team()
    await create(app, team, 'k1')
    await app.db.write((tx) => tx.run(`update campaigns set name = 'of another request'`))
    await die(app, false)
    clock.advance(minute - 1)
    expect(await create(app, team, 'k1')).toMatchObject({ status: 409, error: { code: 'CONFLICT' } })
    clock.advance(1)
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(app, team, 'k1')))
    const made = answers.filter(({ status }) => status === 201)
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(answers.length - made.length)
    expect(await create(app, team, 'k1')).toEqual(made[0])
    expect(await campaigns(app)).toBe(2)
  })
})

describe('a request that outlives its lock on the key', () => {
  it('does nothing once a repeated request has taken over the key', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const team = await app.team()
    await create(app, team, 'k1')
    // The first request is still in progress: its answer is not there, and nothing of it is committed.
    await die(app, false)
    const record = await app.db.sql.get<{ key: string; claimed_by: string }>(
      'select key, claimed_by from idempotency_records',
    )
    clock.advance(minute)
    await create(app, team, 'k1')
    const before = await campaigns(app)
    const ours = await assemble(app.options)
    const actor: Principal = {
      id: team.adminId,
      type: 'human',
      role: 'admin',
      tenantId: team.tenantId,
      appAccess: ['dashboard'],
    }
    const ctx = ours.contextFor({ actor, scope: [team.tenantId] })
    const claim = { key: record?.key ?? '', id: record?.claimed_by ?? '', hash: '' }
    const order = { name: 'Late', brief, deliverables: [{ type: 'social_post' as const, quantity: 1 }] }
    const late = createCampaign({ ...ctx, trace: { ...ctx.trace, claim } }, order)
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
    await ours.close()
    expect(await campaigns(app)).toBe(before)
  })
})

describe('an Idempotency-Key across a change of the encryption keys', () => {
  it('is valid under the new key, also after the old key was removed, and for the same request only', async () => {
    await using app = await createTestApp({ worker: false })
    const team = await app.team()
    const { signingKeys } = app.options
    const [old] = app.options.encryptionKeys
    const fresh = { id: 'k2', key: Buffer.alloc(32, 9).toString('base64') }
    const first = await create(app, team, 'k1')
    app.copydesk.keys.replace({ encryptionKeys: [fresh, ...(old ? [old] : [])], signingKeys })
    await app.copydesk.keys.reencrypt()
    expect(await create(app, team, 'k1')).toEqual(first)
    app.copydesk.keys.replace({ encryptionKeys: [fresh], signingKeys })
    expect(await create(app, team, 'k1')).toEqual(first)
    expect(await create(app, team, 'k1', 'Autumn')).toMatchObject({ status: 422 })
    expect(await campaigns(app)).toBe(1)
  })
})

describe('a stored response', () => {
  it('expires after a day, and is deleted', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const team = await app.team()
    const first = await create(app, team, 'k1')
    clock.advance(23 * 60 * minute)
    const { accessToken } = await app.clientFor().call('auth', 'POST /login', {
      body: { email: 'admin.1.tenant-1@test.example', password, app: 'dashboard' },
    })
    const again = { ...team, adminToken: accessToken }
    expect(await create(app, again, 'k1')).toEqual(first)
    await app.db.write((tx) => tx.run('delete from job'))
    await app.another({ worker: { concurrency: 1 } })
    clock.advance(61 * minute)
    await app.until(async () => {
      clock.advance(10 * minute)
      const kept = await app.db.sql.all('select key from idempotency_records')
      return kept.length === 0
    }, 'the answer is cleared away')
    expect(await campaigns(app)).toBe(1)
  })
})
