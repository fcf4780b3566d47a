import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { jobEntities } from '../../packages/core/src/platform/jobs/entities.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { answer, settings } from './answer.ts'

const { folder, delayMs } = settings<{ folder: string; delayMs: number }>()
const measuredMs = 3_000

// A disk that takes so long to make a file durable.
const { fdatasync } = fs
Object.assign(fs, {
  fdatasync: (file: number, done: fs.NoParamCallback) =>
    void setTimeout(() => fdatasync(file, done), delayMs),
})
syncBuiltinESMExports()
const clock = new Int32Array(new SharedArrayBuffer(4))

const file = join(folder, 'commits.db')
const db = await openDatabase({
  url: `sqlite:${file}`,
  entities: jobEntities,
  migrations: [],
  log: silentLogger,
})
await db.write((tx) => tx.run('create table thing (id integer primary key, said text)'))
const insert = `insert into thing (said) values (?)`

const raw = new BetterSqlite(file)
const statement = raw.prepare(insert)

const units = {
  byHand: () => db.write((tx) => tx.run(insert, ['by hand'])),
  inOrm: () => db.unitOfWork('all', (_em, tx) => tx.run(insert, ['in a unit of work'])),
  /** A commit for each: what the others are compared with. */
  alone: async () => {
    await turn()
    raw.exec('begin immediate')
    statement.run('alone')
    raw.exec('commit')
    Atomics.wait(clock, 0, 0, delayMs)
  },
}

/** @returns units a second of so many writers, each after its last one is durable */
async function rate(unit: () => Promise<unknown>, writers: number): Promise<number> {
  let done = 0
  const begun = performance.now()
  const write = async () => {
    while (performance.now() - begun < measuredMs) {
      await unit()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  return (done * 1_000) / (performance.now() - begun)
}

const questions = Object.entries(units).flatMap(([name, unit]) =>
  [1, 4, 16].map((writers) => [`${name}.${writers}`, () => rate(unit, writers)] as const),
)
answer(Object.fromEntries(questions))
process.send?.({ port: 0 })
