import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { webhookEvents } from '../../../packages/core/src/domain/delivery/webhooks/entities.ts'
import {
  adminOf,
  brief,
  createTestApp,
  encryptionKeys,
  signingKeys,
  type Team,
  type TestApp,
} from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createReceiver, type Received, type Receiver } from '../../kit/receiver.ts'
import { everything } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let receiver: Receiver

beforeAll(async () => {
  receiver = await createReceiver()
  app = await createTestApp({ allowHosts: ['127.0.0.1'], writerPaceMs: 0 })
})

beforeEach(() => void receiver.received.splice(0))

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const add = ({ admin }: Team, eventTypes: (typeof webhookEvents)[number][] = [...webhookEvents], path = '') =>
  admin.call('tenant', 'POST /webhooks', { body: { url: receiver.url + path, eventTypes } })

const deliveriesOf = async ({ admin }: Team, webhookId: string) =>
  (await admin.call('tenant', 'GET /webhooks/:webhookId/deliveries', { params: { webhookId } })).data

/** Makes the built-in writer write a post, which then waits for approval. */
const order = ({ admin }: Team) =>
  admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
  })

/** Checked with another implementation than the one that signs. */
async function isSigned({ id, timestamp, body, signature }: Received, secret: string): Promise<boolean> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (char) => char.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify'])
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  for (const one of signature.split(' ')) {
    const [version, text = ''] = one.split(',')
    const mac = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, mac, signed))) return true
  }
  return false
}

describe('the events to a webhook', () => {
  it('contain the subscribed types of its tenant, signed, each event once', async () => {
    const [ours, theirs] = [await app.team('Ours'), await app.team('Zanzibar')]
    const all = await add(ours, undefined, '/all')
    const some = await add(ours, ['approval_created'], '/some')
    expect(all.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await Promise.all([order(theirs), order(ours)])
    const pathOf = (path: string) => receiver.received.filter((one) => one.path === `/hook${path}`)
    const created = await app.until(async () => pathOf('/some')[0], 'an approval is told of')
    const same = await app.until(
      async () => pathOf('/all').find(({ body }) => body.includes('approval_created')),
      'the other is told as well',
    )
    expect(same).toMatchObject({ id: created.id, body: created.body })
    const { type, timestamp, data } = JSON.parse(created.body)
    const { data: approvals } = await ours.admin.call('dashboard', 'GET /approvals')
    expect({ type, id: data.approvalId }).toEqual({ type: 'approval_created', id: approvals[0]?.id })
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now())
    await app.until(async () => {
      const waiting = await app.db.sql.get(`select id from webhook_deliveries where status = 'pending'`)
      return !waiting && pathOf('/all').length > 2
    }, 'nothing waits')
    expect(new Set(pathOf('/all').map(({ id }) => id)).size).toBe(pathOf('/all').length)
    expect(pathOf('/some')).toHaveLength(1)
    for (const one of receiver.received) {
      const [right, wrong] = one.path === '/hook/all' ? [all, some] : [some, all]
      expect(await isSigned(one, right.secret)).toBe(true)
      expect(await isSigned(one, wrong.secret)).toBe(false)
      expect(await isSigned({ ...one, body: `${one.body} ` }, right.secret)).toBe(false)
      expect(Math.abs(Number(one.timestamp) * 1_000 - Date.now())).toBeLessThan(120_000)
    }
    const sent = JSON.stringify(receiver.received)
    for (const { id } of await app.db.sql.all<{ id: string }>(
      'select id from activities where tenant_id = ? union all select id from approvals where tenant_id = ?',
      [theirs.tenantId, theirs.tenantId],
    ))
      expect(sent).not.toContain(id)
    expect(sent).not.toContain(theirs.tenantId)
    for (const { status, attempts, responseStatus } of await deliveriesOf(ours, all.id))
      expect({ status, attempts, responseStatus }).toEqual({
        status: 'delivered',
        attempts: 1,
        responseStatus: 204,
      })
  })

  it('omit events before its creation, and while it was disabled', async () => {
    const team = await app.team()
    const planned = (count: number) =>
      app.until(async () => {
        const told = await app.db.sql.all(
          `select seq from event where tenant_id = ? and type = 'campaign_update' and cast(data as text) like '%active%'`,
          [team.tenantId],
        )
        return told.length === count
      }, 'campaigns are planned')
    await order(team)
    await planned(1)
    const { id } = await add(team, ['campaign_update', 'channel_disconnected'])
    const params = { webhookId: id }
    const change = (body: object) => team.admin.call('tenant', 'PATCH /webhooks/:webhookId', { params, body })
    expect(await change({ status: 'disabled' })).toMatchObject({ disabledReason: 'by_person' })
    const test = () => team.admin.call('tenant', 'POST /webhooks/:webhookId/test', { params })
    expect(await refusal(test())).toMatchObject({ status: 422, code: 'UNPROCESSABLE' })
    await team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Unheard', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    await planned(2)
    expect(await change({ status: 'active' })).toMatchObject({ disabledReason: null })
    await test()
    await app.until(async () => receiver.received.length > 0, 'the test arrives')
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
      { type: 'test', timestamp: expect.any(String), data: {} },
    ])
    expect(await deliveriesOf(team, id)).toHaveLength(1)
  })

  it('are signed with the same secret after the encryption key was rotated', async () => {
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'] })
    const team = await app.team()
    const { id, secret } = await add(team)
    const newer = { id: 'k2', key: Buffer.alloc(32, 8).toString('base64') }
    app.copydesk.keys.replace({ encryptionKeys: [newer, ...encryptionKeys], signingKeys })
    await app.copydesk.keys.reencrypt()
    expect(Object.keys(await app.copydesk.keys.inUse())).toEqual(['k2'])
    app.copydesk.keys.replace({ encryptionKeys: [newer], signingKeys })
    await team.admin.call('tenant', 'POST /webhooks/:webhookId/test', { params: { webhookId: id } })
    const message = await app.until(async () => receiver.received[0], 'the test arrives')
    expect(await isSigned(message, secret)).toBe(true)
  })
})

describe('tenant.webhooks.rotate_secret', () => {
  it('returns a new secret once, and signs with both for a day', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, allowHosts: ['127.0.0.1'], writerPaceMs: 0 })
    const team = await app.team()
    const { id, secret: first } = await add(team)
    const params = { webhookId: id }
    const rotate = () => team.admin.call('tenant', 'POST /webhooks/:webhookId/rotate-secret', { params })
    const sent = async () => {
      receiver.received.splice(0)
      // No one stays logged in for a day.
      await app.copydesk.as(adminOf(team)).call('tenant.webhooks.test', { params: { webhookId: id } })
      return app.until(async () => receiver.received[0], 'the test arrives')
    }
    const signedBy = async (message: Received, secrets: readonly string[]) => [
      message.signature.split(' ').length,
      ...(await Promise.all(secrets.map((secret) => isSigned(message, secret)))),
    ]
    expect(await signedBy(await sent(), [first])).toEqual([1, true])
    const { secret: second, previousSecretUntil, ...webhook } = await rotate()
    expect(second).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Date.parse(previousSecretUntil)).toBe(clock.now() + 24 * 3_600_000)
    expect(webhook).toEqual(await team.admin.call('tenant', 'GET /webhooks/:webhookId', { params }))
    expect(await signedBy(await sent(), [first, second])).toEqual([2, true, true])
    // A third secret leaves the first behind at once.
    const { secret: third } = await rotate()
    expect(await signedBy(await sent(), [first, second, third])).toEqual([2, false, true, true])
    // Both are sealed again with another key.
    const newer = { id: 'k2', key: Buffer.alloc(32, 8).toString('base64') }
    app.copydesk.keys.replace({ encryptionKeys: [newer, ...encryptionKeys], signingKeys })
    await app.copydesk.keys.reencrypt()
    expect(Object.keys(await app.copydesk.keys.inUse())).toEqual(['k2'])
    clock.advance(24 * 3_600_000 - 1)
    expect(await signedBy(await sent(), [second, third])).toEqual([2, true, true])
    clock.advance(1)
    expect(await signedBy(await sent(), [second, third])).toEqual([1, false, true])
    await app.until(async () => {
      clock.advance(600_000)
      return !(await app.db.sql.get('select id from webhooks where previous_secret_sealed is not null'))
    }, 'the old secret is gone')
    const kept = JSON.stringify(await everything(app.db))
    for (const secret of [first, second, third]) expect(kept).not.toContain(secret.slice(6, 30))
  })

  it('requires an admin of the webhook’s tenant', async () => {
    const [ours, theirs] = [await app.team(), await app.team()]
    const params = { webhookId: (await add(ours)).id }
    for (const [client, status] of [
      [ours.member, 403],
      [ours.reviewer, 403],
      [theirs.admin, 404],
    ] as const)
      expect(
        await refusal(client.call('tenant', 'POST /webhooks/:webhookId/rotate-secret', { params })),
      ).toMatchObject({ status })
  })
})
