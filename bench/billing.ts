import { createHmac } from 'node:crypto'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findPostgres } from '../config/postgres.ts'
import { fillForMonthEnd, invoicesIssued } from './billing-data.ts'
import { type Installation, installationIn, lookInto, seed } from './installation.ts'
import { handleAll } from './load.ts'
import { type Bench, expectEqual, interleave, less, type Metrics, more, percentile } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { startSubject, temporaryFolder } from './processes.ts'

/** The first of them warm the program up. */
const warming = 400
const count = 2_400
/** Calls that a provider makes at once. */
const callers = 16
const tenants = 10_000
const secret = 'whsec_of_the_benchmark'
const peer = 'bare h3, the signature checked and one insert'

/** The webhook of payments, and the end of a month: ten thousand periods with usage, each with its invoice and its mail. */
export const billing: Bench = {
  name: 'billing',
  long: true,
  async run(_size, say) {
    using folder = temporaryFolder()
    const onSqlite = await measure('sqlite', installationIn(folder.path), folder.path, say)
    const postgres = await findPostgres()
    if (postgres.url === undefined) return onSqlite
    try {
      using second = temporaryFolder()
      const onPostgres = await inDatabase(postgres.url, (database) =>
        measure('postgresql', installationIn(second.path, database), second.path, say),
      )
      return { ...onSqlite, ...onPostgres }
    } finally {
      await postgres.stop()
    }
  },
}

async function measure(
  name: string,
  installation: Installation,
  folder: string,
  say: (line: string) => void,
): Promise<Metrics> {
  const { tenantId, adminId } = await seed(installation, { approvals: 1, reviewers: 1 })
  const webhook = await webhooks(name, installation, folder)
  say(`  ${name}: the webhook is measured`)
  await fillForMonthEnd(installation, { tenantId, adminId, tenants })
  say(`  ${name}: ${tenants} tenants are there`)
  await using server = await startSubject('servers/month-end.ts', installation, folder)
  const idle = await server.ask<number>('memory')
  const { ms, first, last } = await server.ask<{ ms: number; first: number; last: number }>('bill')
  expectEqual('invoices', await invoicesIssued(installation), tenants)
  const mebibytes = (bytes: number) => ({ value: (bytes - idle) / 2 ** 20, unit: 'MiB above idle' })
  return {
    ...webhook,
    [`billing.${name}.month_end`]: { value: ms / 60_000, unit: 'minutes for 10,000 tenants' },
    [`billing.${name}.month_end.memory.first_quarter`]: mebibytes(first),
    [`billing.${name}.month_end.memory.last_quarter`]: mebibytes(last),
  }
}

let events = 0

async function webhooks(name: string, installation: Installation, folder: string): Promise<Metrics> {
  const payments = { provider: 'hosted_a', keyId: 'k', keySecret: 's', webhookSecrets: [secret] }
  const settings = { ...installation, payments, trustProxy: ['127.0.0.1'] }
  const ours = (working: boolean) => () => call('servers/copydesk.ts', { ...settings, working }, folder)
  const { answering, applying, theirs } = await interleave(3, {
    answering: ours(false),
    applying: ours(true),
    theirs: async () => {
      const file = join(folder, `peer-${events}.db`)
      if (name === 'sqlite') await copyFile(join(folder, 'bench.db'), file)
      const database = name === 'sqlite' ? `sqlite:${file}` : installation.database
      return call('peers/h3-webhook.ts', { database, secret }, folder)
    },
  })
  const db = await lookInto(installation)
  const kept = Number((await db.sql.get<{ n: number }>('select count(*) as n from payment_events'))?.n)
  await db.close()
  expectEqual('events that were kept', kept, 6 * count)
  return {
    [`billing.${name}.webhook`]: more(answering.rate, 'answers/s', peer, theirs.rate),
    [`billing.${name}.webhook.p99`]: less(answering.p99, 'ms', peer, theirs.p99, '100 ms'),
    [`billing.${name}.webhook.applying.p99`]: less(applying.p99, 'ms', peer, theirs.p99, '100 ms'),
  }
}

/** @returns answers per second, and the 99th percentile of the wait, milliseconds */
async function call(
  program: string,
  settings: object,
  folder: string,
): Promise<{ rate: number; p99: number }> {
  await using server = await startSubject(program, settings, folder)
  const waits: number[] = []
  const send = async (_caller: number, n: number) => {
    const body = JSON.stringify({
      id: `evt_${n}`,
      event: 'subscription.charged',
      created_at: 1_790_000_000,
      payload: { subscription: { entity: { id: `sub_${n % 500}` } } },
    })
    const headers = {
      'content-type': 'application/json',
      'x-paymentprovider-signature': createHmac('sha256', secret).update(body).digest('hex'),
      // The limits count by address.
      'x-forwarded-for': `10.${Math.floor(n / 60_000) % 250}.${Math.floor(n / 250) % 240}.${n % 250}`,
    }
    const begun = performance.now()
    const response = await fetch(`${server.url}/pg/v1/webhook`, { method: 'POST', headers, body })
    await response.arrayBuffer()
    waits.push(performance.now() - begun)
    expectEqual('status of the webhook', response.status, 200)
  }
  const numbers = Array.from({ length: count }, () => ++events)
  const at = Array.from({ length: callers }, (_, i) => i)
  await handleAll(at, numbers.slice(0, warming), send)
  waits.length = 0
  const rate = await handleAll(at, numbers.slice(warming), send)
  return { rate, p99: percentile(waits, 0.99) }
}
