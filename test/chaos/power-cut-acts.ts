import { openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { migrateUp } from '../../packages/core/src/platform/database/migrate.ts'
import { insertRows } from '../../packages/core/src/platform/database/new-rows.ts'
import { EventRow, eventEntities } from '../../packages/core/src/platform/events/entities.ts'
import { createEventLog } from '../../packages/core/src/platform/events/log.ts'
import { jobRows } from '../../packages/core/src/platform/jobs/queries.ts'
import { silent } from '../kit/database.ts'

/**
 * A server that writes acts, eight at a time, and writes to the file `answers` what it answers: `done 7`, or `refused 8` and
 * why. It is ended and started again twice. An act is a job and two events; one in seven changes its mind when all is written.
 * Arguments: its folder; `early` to answer before the commit, `unsynced` to leave the disk to the system, `full` for a disk
 * without room for some time, and when it is ended.
 */
const [folder = '', fault = ''] = process.argv.slice(2)
const lives = 3
const actsOfLife = 120
const text = 'x'.repeat(9_000)

const answers = openSync(join(folder, 'answers'), 'a')
const full = join(folder, 'full')
let refusals = 0

function answer(what: 'done' | 'refused', act: number, why = ''): void {
  writeSync(answers, `${what} ${act} ${why}\n`)
  if (fault === 'full' && act % actsOfLife === 40) writeFileSync(full, '')
  if (what === 'refused' && ++refusals % 25 === 0) rmSync(full, { force: true })
}

async function live(first: number): Promise<void> {
  const db = await openDatabase({
    url: join(folder, 'copydesk.db'),
    entities: eventEntities,
    migrations,
    log: silent,
    ...(fault === 'unsynced' && { synchronous: 'off' }),
  })
  await migrateUp(db)
  const clock = createSystemClock()
  const log = createEventLog({ db, clock, log: silent })
  const endOf = (id: number) => {
    if (id % 7 === 3) throw new Error('changed its mind')
    if (fault === 'early') answer('done', id)
  }
  const act = (id: number) => {
    const job = { id: `${id}`, kind: 'act', tenantId: null, payload: { text } }
    const event = { tenantId: null, type: 'thing_happened', subject: `${id}`, data: { text } }
    if (id % 2 === 0) {
      return db.write(async (tx) => {
        await insertRows(tx, jobRows([job], clock.date()))
        await log.append(tx, [event, event])
        endOf(id)
      })
    }
    return db.unitOfWork('all', async (em, tx) => {
      em.create(EventRow, { ...event, at: clock.date() })
      await db.flush(em, tx, [...jobRows([job], clock.date()), ...log.toRows([event])])
      endOf(id)
    })
  }
  let next = first
  const write = async () => {
    for (let id = next++; id < first + actsOfLife; id = next++) {
      await act(id).then(
        () => answer('done', id),
        (error: Error) => answer('refused', id, error.message),
      )
    }
  }
  await Promise.all(Array.from({ length: 8 }, write))
  if (fault === 'full') writeFileSync(full, '')
  await db.close()
  rmSync(full, { force: true })
}

for (let life = 0; life < lives; life += 1) await live(life * actsOfLife)
