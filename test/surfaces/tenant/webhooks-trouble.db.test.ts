import { describe, expect, it } from 'vitest'
import {
  mostAttempts,
  mostFailures,
  restMs,
} from '../../../packages/core/src/domain/delivery/webhooks/policy.ts'
import { adminOf, createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createReceiver, type Reply } from '../../kit/receiver.ts'

/** A tenant with a webhook for test events, inspected by operators: the clock outlives tokens. */
async function hooked(app: TestApp, url: string) {
  const team = await app.team()
  const own = app.copydesk.as(adminOf(team))
  const body = { url, eventTypes: ['approval_created' as const] }
  const { id } = await own.call('tenant.webhooks.create', { body })
  const params = { webhookId: id }
  return {
    team,
    id,
    own,
    params,
    test: async () => (await own.call('tenant.webhooks.test', { params })).deliveryId,
    state: () => own.call('tenant.webhooks.get', { params }),
    delivery: async (deliveryId: string) =>
      (await own.call('tenant.webhooks.deliveries', { params })).data.find((one) => one.id === deliveryId),
  }
}
type Hooked = Awaited<ReturnType<typeof hooked>>

const notices = async (app: TestApp, { adminId }: Team) =>
  app.db.sql.all<{ title: string }>(
    `select title from notifications where user_id = ? and subject_kind = 'webhooks'`,
    [adminId],
  )

/** Moves the clock on until a message was tried so often. */
async function tried(app: TestApp, clock: TestClock, hook: Hooked, deliveryId: string, attempts: number) {
  return app.until(async () => {
    const found = await hook.delivery(deliveryId)
    if ((found?.attempts ?? 0) >= attempts) return found
    clock.advance(2_500)
    return undefined
  }, `it was tried ${attempts} times`)
}

describe('a receiver', () => {
  it('that fails is retried with a delay, and gets the event once it works', async () => {
    const replies: Reply[] = [500, 'hang up', 429]
    await using receiver = await createReceiver(() => replies.shift() ?? 204)
    const clock = createTestClock()
    await using app = await createTestApp({ clock, allowHosts: ['127.0.0.1'] })
    const hook = await hooked(app, receiver.url)
    const first = await hook.test()
    await app.until(async () => (await hook.delivery(first))?.attempts === 1, 'it was tried')
    expect(await hook.delivery(first)).toMatchObject({
      status: 'pending',
      responseStatus: 500,
      error: 'Answered 500',
    })
    const before = clock.now()
    const taken = await tried(app, clock, hook, first, 4)
    expect(taken).toMatchObject({ status: 'delivered', responseStatus: 204, error: null })
    expect(clock.now() - before).toBeGreaterThanOrEqual(restMs(1) + restMs(2) + restMs(3))
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
    expect(new Set(receiver.received.map(({ timestamp }) => timestamp)).size).toBe(4)
    expect(await hook.state()).toMatchObject({ status: 'active', failures: 0 })
  })

  it('that redirects, to the metadata service or elsewhere, is not followed', async () => {
    await using secret = await createReceiver()
    const targets = ['http://169.254.169.254/latest/meta-data/', secret.url]
    await using receiver = await createReceiver((_, index) => ({
      status: 307,
      headers: { location: targets[index] ?? '' },
    }))
    await using app = await createTestApp({ clock: createTestClock(), allowHosts: ['127.0.0.1'] })
    const hook = await hooked(app, receiver.url)
    for (const _ of targets) {
      const id = await hook.test()
      const seen = await app.until(async () => {
        const found = await hook.delivery(id)
        return found?.attempts === 1 && found
      }, 'it was tried')
      expect(seen).toMatchObject({ responseStatus: 307, error: expect.stringContaining('not followed') })
    }
    expect(secret.received).toEqual([])
  })

  it('inside of the network is not called, and its address is not revealed', async () => {
    await using receiver = await createReceiver()
    await using app = await createTestApp({ clock: createTestClock() })
    for (const url of [
      receiver.url,
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]:80/',
      'http://[::ffff:7f00:1]/',
      'http://localhost/',
    ]) {
      const hook = await hooked(app, url)
      const id = await hook.test()
      const seen = await app.until(async () => {
        const found = await hook.delivery(id)
        return found?.attempts === 1 && found
      }, 'it was tried')
      expect(seen, url).toMatchObject({ status: 'pending', responseStatus: null })
      expect(seen.error).toBeTruthy()
      const resolved = url.includes('localhost') ? /127\.|::1/ : /latest|meta-data|hook/
      expect(seen.error).not.toMatch(resolved)
    }
    expect(receiver.received).toEqual([])
  })

  it('that responds with 410 gets no more events, and the admins are notified', async () => {
    await using receiver = await createReceiver(() => 410)
    await using app = await createTestApp({ clock: createTestClock(), allowHosts: ['127.0.0.1'] })
    const hook = await hooked(app, receiver.url)
    const id = await hook.test()
    await app.until(async () => (await hook.state()).status === 'disabled', 'it is disabled')
    expect(await hook.state()).toMatchObject({ disabledReason: 'gone', failures: 1 })
    expect(await hook.delivery(id)).toMatchObject({ status: 'failed', attempts: 1, responseStatus: 410 })
    expect(await notices(app, hook.team)).toHaveLength(1)
  })

  it('that keeps failing is disabled, and gets the failed events once it is enabled again', async () => {
    await using receiver = await createReceiver(() => 503)
    const clock = createTestClock()
    await using app = await createTestApp({ clock, allowHosts: ['127.0.0.1'] })
    const hook = await hooked(app, receiver.url)
    const ids = [await hook.test()]
    // One message alone is not tried so often.
    await app.until(async () => {
      clock.advance(600_000)
      return (await hook.delivery(ids[0] ?? ''))?.status === 'failed'
    }, 'the first is given up')
    expect(await hook.delivery(ids[0] ?? '')).toMatchObject({ attempts: mostAttempts })
    expect(await hook.state()).toMatchObject({ status: 'active', failures: mostAttempts })
    for (let n = 0; n < 3; n += 1) ids.push(await hook.test())
    await app.until(async () => {
      clock.advance(600_000)
      return (await hook.state()).status === 'disabled'
    }, 'it is disabled')
    expect(await hook.state()).toMatchObject({ disabledReason: 'failing', failures: mostFailures })
    expect(await notices(app, hook.team)).toHaveLength(1)
    for (const id of ids) expect((await hook.delivery(id))?.status).toBe('failed')
    receiver.reply = () => 204
    const { own, params } = hook
    await own.call('tenant.webhooks.change', { params, body: { status: 'active' } })
    await own.call('tenant.webhooks.replay', { params: { ...params, deliveryId: ids[0] ?? '' } })
    await app.until(async () => (await hook.delivery(ids[0] ?? ''))?.status === 'delivered', 'it is taken')
  })

  it('that is slow does not delay others', async () => {
    const late = Promise.withResolvers<Reply>()
    await using slow = await createReceiver(() => late.promise)
    await using receiver = await createReceiver()
    await using app = await createTestApp({ clock: createTestClock(), allowHosts: ['127.0.0.1'] })
    const [hanging, quick] = [await hooked(app, slow.url), await hooked(app, receiver.url)]
    const waiting = await hanging.test()
    await app.until(async () => slow.received.length === 1, 'the slow one has it')
    await quick.test()
    await app.until(async () => receiver.received.length === 1, 'the other one has its own')
    expect(await hanging.delivery(waiting)).toMatchObject({ status: 'pending', attempts: 0 })
    late.resolve(204)
    await app.until(async () => (await hanging.delivery(waiting))?.status === 'delivered', 'it is delivered')
  })

  it('gets the event again with the same id from another process when one is killed before it has recorded the delivery', async () => {
    const dying = Promise.withResolvers<Reply>()
    await using receiver = await createReceiver((_, index) => [dying.promise, 500][index] ?? 204)
    await using app = await createTestApp({ clock: createTestClock(), allowHosts: ['127.0.0.1'] })
    const hook = await hooked(app, receiver.url)
    const id = await hook.test()
    await app.until(async () => receiver.received.length === 1, 'the first has sent it')
    // The clock of the first stands still: it renews no lease, as if it were dead.
    const later = createTestClock(Date.UTC(2026, 3, 10, 9, 5))
    await app.another({ clock: later })
    await app.until(async () => {
      if (receiver.received.length < 2) later.advance(5_000)
      return (await hook.delivery(id))?.attempts === 1
    }, 'the second has sent it')
    const settled = () =>
      app.db.sql.get<{ response_status: number; attempts: number; failures: number }>(
        `select d.response_status, d.attempts, w.failures from webhook_deliveries d join webhooks w on w.id = d.webhook_id`,
      )
    // What the first finds out then counts no more.
    dying.resolve(503)
    // Stopping waits for what is under way.
    await app.copydesk.stop()
    expect(await settled()).toEqual({ response_status: 500, attempts: 1, failures: 1 })
    await app.until(async () => {
      later.advance(2_500)
      return (await settled())?.attempts === 2
    }, 'it is tried again')
    expect(await settled()).toEqual({ response_status: 204, attempts: 2, failures: 0 })
    const [first, second, third] = receiver.received
    expect([second?.id, third?.id]).toEqual([first?.id, first?.id])
    expect([second?.body, third?.body]).toEqual([first?.body, first?.body])
  })
})

describe('events', () => {
  it('that occur while no worker runs are sent by the next worker, each once', async () => {
    await using receiver = await createReceiver()
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'], worker: false })
    const team = await app.team()
    const { tenantId } = team
    const own = app.copydesk.as(adminOf(team))
    const body = { url: receiver.url, eventTypes: ['campaign_update' as const] }
    const { id } = await own.call('tenant.webhooks.create', { body })
    for (let n = 0; n < 5; n += 1)
      await own.call('dashboard.campaigns.create', {
        body: {
          name: `Campaign ${n}`,
          brief: 'A brief',
          deliverables: [{ type: 'social_post', quantity: 1, platformIds: [] }],
        },
      })
    const late = await own.call('tenant.webhooks.create', { body })
    const deliveries = (webhookId: string) =>
      own.call('tenant.webhooks.deliveries', { params: { webhookId }, query: { limit: 100 } })
    await Promise.all([
      app.another({ worker: { concurrency: 1 } }),
      app.another({ worker: { concurrency: 1 } }),
    ])
    const events = await app.until(async () => {
      const told = await app.db.sql.all<{ seq: number }>(
        `select seq from event where tenant_id = ? and type = 'campaign_update'`,
        [tenantId],
      )
      const { data } = await deliveries(id)
      const all = data.every(({ status }) => status === 'delivered')
      const since = (await deliveries(late.id)).data
      const latest = since.length === told.length - 5 && since.every(({ status }) => status === 'delivered')
      return all && latest && told.length >= 10 && data.length === told.length && told
    }, 'everything is told')
    // One that was added after five of them gets the events since then.
    expect(receiver.received).toHaveLength(events.length * 2 - 5)
    expect(new Set(receiver.received.map((one) => one.id)).size).toBe(events.length)
  })
})
