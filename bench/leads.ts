import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import { ulid } from 'ulid'
import { findPostgres } from '../config/postgres.ts'
import { type Installation, installationIn, memberTokens, type Seeded, seed } from './installation.ts'
import { type Bench, expectEqual, less, type Metrics, more, percentile } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { type Subject, startSubject, temporaryFolder } from './processes.ts'

/** Leads of one file, and how many files there are. */
const rows = 250_000
const files = 4
const repetitions = 150
const peer = 'csv-parse and hand-written statements, the same indexes and commits'

const lists = {
  newest: '/leads',
  status: '/leads?filter.status=new',
  'few found': '/leads?search=name123456',
  'many found': '/leads?search=name1',
  'none found': '/leads?search=nobody',
}

/** The import of a million leads in four files, requests of others meanwhile, and lists of them afterwards. */
export const leads: Bench = {
  name: 'leads',
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
  const seeded = await seed(installation, { approvals: 1, reviewers: 30 })
  const byHand = name === 'sqlite' ? await peerRate(folder, seeded) : undefined
  const tokens = await memberTokens(seeded.tenantId, seeded.reviewerIds)
  await using server = await startSubject('servers/copydesk.ts', { ...installation, working: true }, folder)
  const get = timer(server, tokens)
  for (let i = 0; i < 50; i += 1) await get('/activities')
  const idle: number[] = []
  for (let i = 0; i < repetitions; i += 1) idle.push(await get('/activities'))
  const before = await server.ask<number>('memory')
  await server.ask('watch')
  const rates: number[] = []
  const meanwhile: number[] = []
  for (let n = 0; n < files; n += 1) {
    rates.push(
      await importOne(
        server,
        tokens[n] as string,
        n,
        async () => void meanwhile.push(await get('/activities')),
      ),
    )
    say(`  ${name}: ${Math.round(rates[n] as number)} leads/s`)
  }
  const { peak } = await server.ask<{ peak: number }>('watched')
  const rate = rates.toSorted((a, b) => a - b)[files >> 1] as number
  const found: Metrics = {
    [`leads.${name}.import`]:
      byHand === undefined
        ? { value: rate, unit: 'leads/s', aim: '40,000' }
        : more(rate, 'leads/s', peer, byHand, '40,000'),
    [`leads.${name}.memory`]: { value: (peak - before) / 2 ** 20, unit: 'MiB above idle', aim: '50' },
    [`leads.${name}.others.p99`]: less(
      percentile(meanwhile, 0.99),
      'ms',
      'idle',
      percentile(idle, 0.99),
      'ratio 0.33',
    ),
  }
  for (const [list, path] of Object.entries(lists)) {
    const waits: number[] = []
    for (let i = 0; i < repetitions; i += 1) waits.push(await get(path))
    found[`leads.${name}.${list}.p95`] = { value: percentile(waits, 0.95), unit: 'ms', aim: '25 ms' }
  }
  return found
}

/** Reads as people in turn: the limits count each of them. */
function timer(server: Subject, tokens: readonly string[]): (path: string) => Promise<number> {
  let next = 0
  return async (path) => {
    const headers = { authorization: `Bearer ${tokens[next++ % tokens.length]}` }
    const begun = performance.now()
    const response = await fetch(`${server.url}/dashboard/v1${path}`, { headers })
    await response.arrayBuffer()
    expectEqual(`status of ${path}`, response.status, 200)
    return performance.now() - begun
  }
}

const fileOf = (n: number) =>
  `name,email\n${Array.from({ length: rows }, (_, i) => `Name${n * rows + i},n${n * rows + i}@x.example`).join('\n')}`

/** @returns leads per second, from the answer to the upload until all of them are there */
async function importOne(
  server: Subject,
  token: string,
  n: number,
  meanwhile: () => Promise<void>,
): Promise<number> {
  const body = new FormData()
  body.append('file', new Blob([fileOf(n)]), 'leads.csv')
  const headers = { authorization: `Bearer ${token}` }
  const url = `${server.url}/dashboard/v1/leads/import`
  const response = await fetch(url, { method: 'POST', headers, body })
  expectEqual('status of the import', response.status, 202)
  const begun = performance.now()
  const { importId } = (await response.json()) as { importId: string }
  for (;;) {
    for (let i = 0; i < 8; i += 1) {
      await meanwhile()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const state = await fetch(`${server.url}/dashboard/v1/leads/imports/${importId}`, { headers })
    const { status, imported } = (await state.json()) as { status: string; imported: number }
    if (status === 'processing') continue
    expectEqual('imported leads', imported, rows)
    return rows / ((performance.now() - begun) / 1_000)
  }
}

/** @returns leads per second */
async function peerRate(folder: string, { tenantId }: Seeded): Promise<number> {
  const file = join(folder, 'peer.db')
  await copyFile(join(folder, 'bench.db'), file)
  const db = new BetterSqlite(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  const insert = db.prepare(
    `insert into leads (id, tenant_id, first_name, last_name, email, status, source, tags, identity, words, revision, created_on, updated_on)
     values (?, ?, ?, '', ?, 'new', 'import', '[]', ?, ?, 0, 0, 0)`,
  )
  const text = fileOf(0)
  const begun = performance.now()
  let batch: string[][] = []
  const write = db.transaction(() => {
    for (const [name = '', email = ''] of batch)
      insert.run(
        ulid(),
        tenantId,
        name,
        email,
        `e:${email}`,
        ` ${name.toLowerCase()} ${email.split('@')[0]} x example`,
      )
    batch = []
  })
  parse(text, {
    from_line: 2,
    on_record: (row: string[]) => {
      if (batch.push(row) === 250) write()
      return null
    },
  })
  write()
  const rate = rows / ((performance.now() - begun) / 1_000)
  db.close()
  return rate
}
