import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../config/postgres-server.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { bench } from '../domain/accounts/billing.ts'
import {
  outcomeOf,
  paymentStory,
  shuffled,
  subscribeTenants,
  type Told,
} from '../domain/accounts/payment-story.ts'
import { sign, startPaymentServer } from '../kit/payment-server.ts'
import { endMember, startMember } from './fleet.ts'
import { randomFrom } from './random.ts'

/** The long form is that of `payment-story.ts` with `COPYDESK_PAYMENT_KILLS=50`: with few tenants all of them would have ended. */
const kills = Number(process.env['COPYDESK_PAYMENT_KILLS'] ?? 3)
/** How much of the story is told; the long form is all of it. */
const most = Number(process.env['COPYDESK_PAYMENT_EVENTS'] ?? 80)

describe('payment events', () => {
  it(`end alike in any order, late and doubled, though the server is killed ${kills} times`, {
    timeout: 120_000 + kills * 20_000,
  }, async () => {
    await using provider = await startPaymentServer()
    await using harness = await bench(undefined, provider.options)
    const { db, url, options } = harness.app
    const port = await freePort()
    const baseUrl = `http://127.0.0.1:${port}`
    const installation = { database: url, dataDir: options.dataDir ?? '', baseUrl, more: provider.options }
    for (const round of ['ordered', 'mixed']) await subscribeTenants(harness, round, 'hosted_a')
    const random = randomFrom(11)
    const next = (below: number) => Math.floor(random() * below)
    const told = paymentStory(next, Math.floor(Date.now() / 1_000) - 10_000).slice(0, most)
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    for (const event of told) await tell(baseUrl, 'ordered', event)
    await applied(db)

    const mixed = shuffled(told, next)
    const killAt = new Set(
      Array.from({ length: kills }, (_, n) => Math.floor(((n + 0.5) * mixed.length) / kills)),
    )
    const left: number[] = []
    const unsent = mixed.map((event, place) => ({ event, place }))
    const send = async () => {
      for (let one = unsent.shift(); one; one = unsent.shift()) {
        await tell(baseUrl, 'mixed', one.event)
        if (!killAt.has(one.place)) continue
        await endMember(server, 'SIGKILL')
        left.push(await waiting(db))
        // As if the half minute had passed after which others take over what a dead one had begun.
        await db.write((tx) =>
          tx.run(`update job set lease_until = ? where status = 'running'`, [new Date(Date.now() - 1_000)]),
        )
        server = await startMember('all', port, installation)
      }
    }
    await Promise.all(Array.from({ length: 8 }, send))
    await applied(db)

    // Some had been answered and not been applied when the server died, or the kills would show nothing.
    expect(left).toHaveLength(kills)
    expect(Math.max(...left)).toBeGreaterThan(0)
    const ordered = await outcomeOf(db, 'ordered')
    expect(await outcomeOf(db, 'mixed')).toEqual(ordered)
    expect(new Set(ordered.subscriptions.map(({ status }) => status)).size).toBeGreaterThan(1)
  })
})

/** Sends an event until it is answered, as a provider does. */
async function tell(
  baseUrl: string,
  round: string,
  { tenant, eventId, type, at, payment }: Told,
): Promise<void> {
  const entity = payment && {
    id: `${round}_${payment.id}`,
    amount: payment.amount,
    currency: payment.currency,
    amount_refunded: payment.refunded,
  }
  const body = JSON.stringify({
    id: `${round}_${eventId}`,
    event: type,
    created_at: at,
    payload: {
      subscription: { entity: { id: `${round}_${tenant}` } },
      ...(entity && { payment: { entity } }),
    },
  })
  const headers = { 'content-type': 'application/json', 'x-paymentprovider-signature': sign(body) }
  for (;;) {
    const status = await fetch(`${baseUrl}/pg/v1/webhook`, { method: 'POST', headers, body }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    if (status === 200) return
    if (status > 0 && status < 500 && status !== 429) throw new Error(`The webhook answered ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function waiting({ sql }: Database): Promise<number> {
  const rows = await sql.all(`select 1 from payment_events where status = 'received'`)
  return rows.length
}

async function applied(db: Database): Promise<void> {
  while ((await waiting(db)) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
}
