import { createCopydesk } from '@copydesk/core'
import pg from 'pg'
import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { createEventLog } from '../../packages/core/src/platform/events/log.ts'
import { jobEntities } from '../../packages/core/src/platform/jobs/entities.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { installationIn, waitFor } from '../installation.ts'
import { answer, settings } from './answer.ts'

const { database, folder } = settings<{ database: string; folder: string }>()
const measuredMs = 1_500
const mostWriters = 16

const copydesk = await createCopydesk({ ...installationIn(folder, database), log: silentLogger })
await copydesk.migrations.up()
await copydesk.stop()

const db = await openDatabase({
  url: database,
  entities: jobEntities,
  migrations: [],
  log: silentLogger,
  poolSize: mostWriters,
})
await db.write((tx) =>
  tx.run('create table thing (id integer generated always as identity primary key, said text)'),
)
const events = createEventLog({ db, clock: createSystemClock(), log: silentLogger })
await events.start()
let told = 0
let lastSeq = 0
await events.follow({ tenants: 'all' }, undefined, {
  event({ seq }) {
    if (seq <= lastSeq) throw new Error(`Event ${seq} was told after ${lastSeq}`)
    lastSeq = seq
    told += 1
  },
  resync() {
    throw new Error('The past of the events is gone')
  },
})

const pool = new pg.Pool({ connectionString: database, max: mostWriters })
const insert = (said: string) => ({
  name: 'thing',
  text: 'insert into thing (said) values ($1)',
  values: [said],
})

/** @param before what is done beside the insertion, in the same transaction */
async function byHand(before?: string): Promise<void> {
  const client = await pool.connect()
  await client.query('begin')
  if (before) await client.query(before)
  await client.query(insert('by hand'))
  await client.query('commit')
  client.release()
}

const units = {
  async events() {
    await db.unitOfWork('all', async (_em, tx) => {
      await tx.run('insert into thing (said) values (?)', ['in a unit of work'])
      await events.append(tx, [{ tenantId: null, type: 'bench', subject: 'thing', data: {} }])
    })
    events.wakeUp()
  },
  byHand: () => byHand(),
  locked: () => byHand('select pg_advisory_xact_lock(1)'),
  notified: () => byHand(`select pg_notify('bench', '')`),
}

const rows = async () => Number((await db.sql.get<{ n: number }>('select count(*) as n from thing'))?.n)

/** @returns units a second of so many writers, each after its last one is durable, and how many left no row or were not told */
async function measure(kind: keyof typeof units, writers: number) {
  const before = { rows: await rows(), told }
  let done = 0
  const begun = performance.now()
  const write = async () => {
    while (performance.now() - begun < measuredMs) {
      await units[kind]()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  const rate = (done * 1_000) / (performance.now() - begun)
  if (kind === 'events') await waitFor(async () => told - before.told >= done, 'all events are told')
  const lost = done - ((await rows()) - before.rows)
  return { rate, lost }
}

const questions = (Object.keys(units) as (keyof typeof units)[]).flatMap((kind) =>
  [1, 4, 8, mostWriters].map((writers) => [`${kind}.${writers}`, () => measure(kind, writers)] as const),
)
answer(Object.fromEntries(questions))
process.send?.({ port: 0 })
