import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import { monotonicFactory } from 'ulid'
import { findPostgres } from '../config/postgres.ts'
import { type Installation, installationIn, memberTokens, type Seeded, seed } from './installation.ts'
import { fileOf, lists, ofFew, tenantOfFew } from './leads-data.ts'
import { type Bench, expectEqual, less, type Metrics, median, more, percentile } from './measure.ts'
import { startPacked } from './packed.ts'
import { inDatabase } from './postgres.ts'
import { type Subject, temporaryFolder } from './processes.ts'

/** How many files there are: more than 500,000 leads no file may have, nor more than 10 MB. */
const files = 5
/** As many as requests are answered during the imports, so that the slowest hundredth is one of several. */
const repetitions = 600
const warmUps = 200
/** Between two requests, at rest too: after a pause a request takes longer than right after another one. */
const pauseMs = 50
const listRepetitions = 60
const few = 200
const peer = 'csv-parse and hand-written statements, the same indexes and commits'

/** The import of a million leads in five files, requests of others meanwhile, and lists of them afterwards. */
export const leads: Bench = {
  name: 'leads',
  long: true,
  async run({ rows }, say) {
    const perFile = Math.ceil(rows / files)
    using folder = temporaryFolder()
    const onSqlite = await measure('sqlite', installationIn(folder.path), folder.path, perFile, say)
    const postgres = await findPostgres()
    if (postgres.url === undefined) return onSqlite
    try {
      using second = temporaryFolder()
      const onPostgres = await inDatabase(postgres.url, (database) =>
        measure('postgresql', installationIn(second.path, database), second.path, perFile, say),
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
  rows: number,
  say: (line: string) => void,
): Promise<Metrics> {
  const seeded = await seed(installation, { approvals: 1, reviewers: 30, neighbours: 1 })
  const [neighbour = ''] = seeded.neighbours
  const byHand = name === 'sqlite' ? await peerRate(folder, seeded, rows) : undefined
  await tenantOfFew(installation, neighbour, few)
  const tokens = await memberTokens(seeded.tenantId, seeded.reviewerIds)
  await using server = await startPacked(installation, folder)
  const get = timer(server, tokens)
  for (let i = 0; i < warmUps; i += 1) await get('/activities')
  const idle: number[] = []
  for (let i = 0; i < repetitions; i += 1) {
    idle.push(await get('/activities'))
    await setTimeout(pauseMs)
  }
  // As after the first import of all: the thread that reads files has been started.
  await importOne(server, tokens[files] as string, 'name\nFirst', 1, () => Promise.resolve())
  const before = await server.ask<number>('memory')
  await server.ask('watch')
  const [rates, costs, meanwhile]: [number[], number[], number[]] = [[], [], []]
  for (let n = 0; n < files; n += 1) {
    const cpu = await server.ask<number>('cpu')
    const note = async () => void meanwhile.push(await get('/activities'))
    rates.push(await importOne(server, tokens[n] as string, fileOf(n, rows), rows, note))
    costs.push(((await server.ask<number>('cpu')) - cpu) / rows)
    say(`  ${name}: ${Math.round(rates[n] as number)} leads/s, ${costs[n]?.toFixed(1)} µs of CPU each`)
  }
  const { peak, stall } = await server.ask<{ peak: number; stall: number }>('watched')
  const rate = median(rates)
  const found: Metrics = {
    [`leads.${name}.import`]:
      byHand === undefined
        ? { value: rate, unit: 'leads/s', aim: '40,000' }
        : more(rate, 'leads/s', peer, byHand, '40,000'),
    [`leads.${name}.cpu`]: { value: median(costs), unit: 'µs a lead' },
    [`leads.${name}.memory`]: { value: (peak - before) / 2 ** 20, unit: 'MiB above idle', aim: '50' },
    [`leads.${name}.stall`]: { value: stall, unit: 'ms, the longest of the loop' },
    [`leads.${name}.others.p99`]: less(
      percentile(meanwhile, 0.99),
      'ms',
      'idle',
      percentile(idle, 0.99),
      'ratio 0.33',
    ),
  }
  const p95 = async (of: typeof get, path: string) => {
    const waits: number[] = []
    for (let i = 0; i < listRepetitions; i += 1) waits.push(await of(path))
    return { value: percentile(waits, 0.95), unit: 'ms', aim: '25 ms' }
  }
  for (const [list, path] of Object.entries(lists)) found[`leads.${name}.${list}.p95`] = await p95(get, path)
  const ofNeighbour = timer(server, await memberTokens(neighbour, seeded.reviewerIds))
  for (const [list, path] of Object.entries(ofFew))
    found[`leads.${name}.few.${list}.p95`] = await p95(ofNeighbour, path)
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

/** @returns leads per second, from the answer to the upload until all of them are there */
async function importOne(
  server: Subject,
  token: string,
  text: string,
  rows: number,
  meanwhile: () => Promise<void>,
): Promise<number> {
  const body = new FormData()
  body.append('file', new Blob([text]), 'leads.csv')
  const headers = { authorization: `Bearer ${token}` }
  const url = `${server.url}/dashboard/v1/leads/import`
  const response = await fetch(url, { method: 'POST', headers, body })
  expectEqual('status of the import', response.status, 202)
  const begun = performance.now()
  const { importId } = (await response.json()) as { importId: string }
  for (;;) {
    await meanwhile()
    await setTimeout(pauseMs)
    const state = await fetch(`${server.url}/dashboard/v1/leads/imports/${importId}`, { headers })
    const { status, imported } = (await state.json()) as { status: string; imported: number }
    if (status === 'processing') continue
    expectEqual('imported leads', imported, rows)
    return rows / ((performance.now() - begun) / 1_000)
  }
}

/** @returns leads per second */
async function peerRate(folder: string, { tenantId }: Seeded, rows: number): Promise<number> {
  const file = join(folder, 'peer.db')
  await copyFile(join(folder, 'bench.db'), file)
  const db = new BetterSqlite(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  const insert = db.prepare(
    `insert into leads (id, tenant_id, first_name, last_name, email, status, source, tags, identity, words, revision, created_on, updated_on)
     values (?, ?, ?, '', ?, 'new', 'import', '[]', ?, ?, 0, 0, 0)`,
  )
  const text = fileOf(0, rows)
  const newId = monotonicFactory()
  const begun = performance.now()
  let batch: string[][] = []
  const write = db.transaction(() => {
    for (const [name = '', email = ''] of batch)
      insert.run(
        newId(),
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
