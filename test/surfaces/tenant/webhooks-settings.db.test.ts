import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminOf, createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createReceiver, type Receiver } from '../../kit/receiver.ts'
import { everything } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let receiver: Receiver

beforeAll(async () => {
  receiver = await createReceiver()
  app = await createTestApp({ allowHosts: ['127.0.0.1'] })
})

beforeEach(() => {
  receiver.reply = () => 204
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }
const forbidden = { status: 403, code: 'FORBIDDEN', field: undefined }
const disabled = { status: 422, code: 'UNPROCESSABLE', field: undefined }

let hooks = 0

/** A tenant with a webhook of its own, and what an admin can do to it. */
async function hooked() {
  const team = await app.team()
  const path = `/${(hooks += 1)}`
  const body = { url: receiver.url + path, eventTypes: ['approval_created' as const] }
  const { secret, ...webhook } = await team.admin.call('tenant', 'POST /webhooks', { body })
  const params = { webhookId: webhook.id }
  return {
    team,
    webhook,
    secret,
    /** What has arrived at it. */
    received: () => receiver.received.filter((one) => one.path.endsWith(path)),
    list: (client: Client) => client.call('tenant', 'GET /webhooks'),
    get: (client = team.admin) => client.call('tenant', 'GET /webhooks/:webhookId', { params }),
    change: (body: object, client = team.admin) =>
      client.call('tenant', 'PATCH /webhooks/:webhookId', { params, body }),
    remove: (client = team.admin) => client.call('tenant', 'DELETE /webhooks/:webhookId', { params }),
    test: (client = team.admin) => client.call('tenant', 'POST /webhooks/:webhookId/test', { params }),
    deliveries: (query: object = {}, client = team.admin) =>
      client.call('tenant', 'GET /webhooks/:webhookId/deliveries', { params, query }),
    replay: (deliveryId: string, client = team.admin) =>
      client.call('tenant', 'POST /webhooks/:webhookId/deliveries/:deliveryId/replay', {
        params: { ...params, deliveryId },
      }),
  }
}

/** Resolves once nothing waits to be delivered. */
const settled = ({ deliveries }: Awaited<ReturnType<typeof hooked>>) =>
  app.until(
    async () => (await deliveries({ 'filter.status': 'pending' })).data.length === 0,
    'nothing is pending',
  )

/** The webhooks of a tenant and what was sent to them. */
const rowsOf = ({ tenantId }: Team) =>
  Promise.all(
    ['webhooks', 'webhook_deliveries'].map((table) =>
      app.db.sql.all(`select * from ${table} where tenant_id = ? order by id`, [tenantId]),
    ),
  )

/** Only admins get through, and only to their own; a refusal changes nothing. */
async function expectForAdminsAlone(call: (client: Client) => Promise<unknown>, team: Team) {
  const { admin: stranger } = await app.team()
  const { member, reviewer } = team
  const before = await rowsOf(team)
  for (const person of [member, reviewer]) expect(await refusal(call(person))).toEqual(forbidden)
  expect(await refusal(call(stranger))).toEqual(missing)
  expect(await rowsOf(team)).toEqual(before)
}

describe('tenant.webhooks.create', () => {
  it('returns a webhook with its secret, which is shown only once and stored encrypted', async () => {
    const { team, webhook, secret, list, get } = await hooked()
    expect(webhook).toMatchObject({ eventTypes: ['approval_created'], status: 'active' })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const shown = JSON.stringify([await list(team.admin), await get(), await everything(app.db)])
    expect(shown).toContain(webhook.id)
    expect(shown).not.toContain(secret.slice(6, 30))
  })

  it('rejects everyone but admins and invalid URLs, and stores nothing', async () => {
    const team = await app.team()
    const { admin, member, reviewer } = team
    const add = (body: object, client = admin) =>
      refusal(client.call('tenant', 'POST /webhooks', { body: body as never }))
    const wrong = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field })
    const eventTypes = ['approval_created']
    for (const url of ['ftp://hooks.example/', 'hooks.example', 'https://u:p@hooks.example/', 'javascript:1'])
      expect(await add({ url, eventTypes })).toEqual(wrong('url'))
    expect(await add({ url: receiver.url, eventTypes: [] })).toEqual(wrong('eventTypes'))
    const unknown = { url: receiver.url, eventTypes: ['access_revoked'] }
    expect(await add(unknown)).toEqual(wrong('eventTypes.0'))
    for (const person of [member, reviewer])
      expect(await add({ url: receiver.url, eventTypes }, person)).toEqual(forbidden)
    expect(await rowsOf(team)).toEqual([[], []])
  })

  it('rejects the 21st webhook', async () => {
    const team = await app.team()
    const add = () =>
      app.copydesk.as(adminOf(team)).call('tenant.webhooks.create', {
        body: { url: receiver.url, eventTypes: ['budget_alert'] },
      })
    for (let n = 0; n < 20; n += 1) await add()
    await expect(add()).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
  })
})

describe('tenant.webhooks.list', () => {
  it('lists the webhooks of the tenant, newest first, for admins only', async () => {
    const { team, webhook, list } = await hooked()
    const body = { url: `${receiver.url}/2`, eventTypes: ['budget_alert' as const] }
    const { secret: _, ...second } = await team.admin.call('tenant', 'POST /webhooks', { body })
    await hooked()
    expect((await list(team.admin)).data).toEqual([second, webhook])
    for (const person of [team.member, team.reviewer]) expect(await refusal(list(person))).toEqual(forbidden)
  })
})

describe('tenant.webhooks.get', () => {
  it('returns one webhook, to admins of its tenant only', async () => {
    const { team, webhook, get } = await hooked()
    expect(await get()).toEqual(webhook)
    await expectForAdminsAlone(get, team)
  })
})

describe('tenant.webhooks.change', () => {
  it('changes the given fields and keeps the rest', async () => {
    const { webhook, get, change } = await hooked()
    const changed = await change({ description: 'The shop' })
    expect(changed).toEqual({ ...webhook, description: 'The shop', updatedOn: changed.updatedOn })
    expect(await get()).toEqual(changed)
  })

  it('disables and enables a webhook, and records who disabled it', async () => {
    const { get, change } = await hooked()
    const disabled = await change({ status: 'disabled' })
    expect(disabled).toMatchObject({ status: 'disabled', disabledReason: 'by_person' })
    expect(await get()).toEqual(disabled)
    expect(await change({ status: 'active' })).toMatchObject({ status: 'active', disabledReason: null })
  })

  it('requires an admin of its tenant, and rejects invalid URLs', async () => {
    const { team, webhook, get, change } = await hooked()
    await expectForAdminsAlone((client) => change({ status: 'disabled' }, client), team)
    expect(await refusal(change({ url: 'ftp://hooks.example/' }))).toMatchObject({
      status: 400,
      field: 'url',
    })
    expect(await get()).toEqual(webhook)
  })
})

describe('tenant.webhooks.delete', () => {
  it('deletes a webhook with its deliveries', async () => {
    const hook = await hooked()
    const { deliveryId } = await hook.test()
    await settled(hook)
    await hook.remove()
    for (const call of [hook.get, hook.remove, hook.test, hook.deliveries])
      expect(await refusal(call())).toEqual(missing)
    expect(await refusal(hook.replay(deliveryId))).toEqual(missing)
    expect((await hook.list(hook.team.admin)).data).toEqual([])
    expect(await rowsOf(hook.team)).toEqual([[], []])
  })

  it('requires an admin of its tenant', async () => {
    const { team, remove } = await hooked()
    await expectForAdminsAlone(remove, team)
  })
})

describe('tenant.webhooks.test', () => {
  it('sends an event of the type test', async () => {
    const hook = await hooked()
    const { deliveryId } = await hook.test()
    await settled(hook)
    expect(hook.received().map(({ body }) => JSON.parse(body))).toEqual([
      { type: 'test', timestamp: expect.any(String), data: {} },
    ])
    expect((await hook.deliveries()).data).toMatchObject([{ id: deliveryId, status: 'delivered' }])
  })

  it('rejects a disabled webhook, and everyone but admins of its tenant, and sends nothing', async () => {
    const { team, change, test, received } = await hooked()
    await expectForAdminsAlone(test, team)
    await change({ status: 'disabled' })
    const before = await rowsOf(team)
    expect(await refusal(test())).toEqual(disabled)
    expect(await rowsOf(team)).toEqual(before)
    expect(received()).toEqual([])
  })
})

describe('tenant.webhooks.deliveries', () => {
  it('lists deliveries with their outcome, newest first, by status', async () => {
    const hook = await hooked()
    const first = await hook.test()
    await settled(hook)
    receiver.reply = () => 410
    const second = await hook.test()
    await settled(hook)
    const { data } = await hook.deliveries()
    const told = data.map(({ id, status, attempts, responseStatus }) => [
      id,
      status,
      attempts,
      responseStatus,
    ])
    expect(told).toEqual([
      [second.deliveryId, 'failed', 1, 410],
      [first.deliveryId, 'delivered', 1, 204],
    ])
    expect((await hook.deliveries({ 'filter.status': 'failed' })).data).toEqual([data[0]])
    await expectForAdminsAlone((client) => hook.deliveries({}, client), hook.team)
  })
})

describe('tenant.webhooks.replay', () => {
  it('sends an event again, with the same id and text', async () => {
    const hook = await hooked()
    const { deliveryId } = await hook.test()
    await settled(hook)
    expect(await hook.replay(deliveryId)).toEqual({ deliveryId })
    await settled(hook)
    const [first, second] = hook.received()
    expect(hook.received()).toHaveLength(2)
    expect([second?.id, second?.body]).toEqual([first?.id, first?.body])
  })

  it('rejects a pending delivery, one of another webhook and one to a disabled webhook', async () => {
    const answer = Promise.withResolvers<number>()
    receiver.reply = () => answer.promise
    const [hook, other] = [await hooked(), await hooked()]
    const { deliveryId } = await hook.test()
    await app.until(async () => hook.received().length === 1, 'it is on its way')
    expect(await refusal(hook.replay(deliveryId))).toMatchObject({ status: 409, code: 'CONFLICT' })
    answer.resolve(204)
    await settled(hook)
    expect(await refusal(other.replay(deliveryId))).toEqual(missing)
    await expectForAdminsAlone((client) => hook.replay(deliveryId, client), hook.team)
    await hook.change({ status: 'disabled' })
    expect(await refusal(hook.replay(deliveryId))).toEqual(disabled)
    expect(hook.received()).toHaveLength(1)
  })
})
