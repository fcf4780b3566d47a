import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { type Database, openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { migrateUp } from '../../packages/core/src/platform/database/migrate.ts'
import { eventEntities } from '../../packages/core/src/platform/events/entities.ts'
import { silent } from '../kit/database.ts'
import { canCutPower, cutPower, type Judge } from './power-cut.ts'

const program = fileURLToPath(new URL('./power-cut-acts.ts', import.meta.url))

/** Opens what is left as the server does. */
const startAgain: Judge = async (folder, answers) => {
  const url = join(folder, 'copydesk.db')
  try {
    const db = await openDatabase({ url, entities: eventEntities, migrations, log: silent })
    try {
      await migrateUp(db)
      return await findFaults(db, answers)
    } finally {
      await db.close()
    }
  } catch (error) {
    return [`the server does not start: ${(error as Error).message}`]
  }
}

async function findFaults({ sql }: Database, answers: readonly string[]): Promise<string[]> {
  const pages = await sql.all<{ integrity_check: string }>('pragma integrity_check')
  const acts = await sql.all<{ act: string; n: number }>(
    `select act, count(*) as n from (select id as act from job union all select subject from event) group by act`,
  )
  const rows = new Map(acts.map(({ act, n }) => [act, n]))
  const answered = (wanted: string) =>
    answers.map((line) => line.split(' ')).flatMap(([what, act = '']) => (what === wanted ? [act] : []))
  return [
    ...pages.filter((page) => page.integrity_check !== 'ok').map((page) => page.integrity_check),
    ...answered('done')
      .filter((act) => !rows.has(act))
      .map((act) => `act ${act} is lost`),
    ...answered('refused')
      .filter((act) => rows.has(act))
      .map((act) => `act ${act} was refused and is there`),
    ...[...rows].filter(([, n]) => n !== 3).map(([act, n]) => `act ${act} has ${n} of its 3 rows`),
  ]
}

const count = (lines: readonly string[], text: string) => lines.filter((line) => line.includes(text)).length

describe.runIf(canCutPower)('a database after a power cut', () => {
  it('has every act that was answered, whole, and no part of any that was refused', async () => {
    const { steps, answers, broken } = await cutPower(program, [], startAgain)
    expect(broken).toEqual([])
    expect(count(answers, 'done')).toBeGreaterThan(300)
    // Acts have shared commits, and the log was folded into the file while others were written.
    const syncs = (name: string) => steps.filter((step) => step.kind === 'sync' && step.name === name).length
    expect(syncs('copydesk.db-wal')).toBeLessThan(150)
    expect(syncs('copydesk.db')).toBeGreaterThan(4)
  })

  it('has them also when the disk was full in the middle of commits', async () => {
    const { answers, broken } = await cutPower(program, ['full'], startAgain)
    expect(broken).toEqual([])
    expect(count(answers, 'is full; nothing was written')).toBeGreaterThan(20)
    expect(count(answers, 'done')).toBeGreaterThan(150)
  })

  it.each(['early', 'unsynced'])('would not keep them if they were answered %s', async (fault) => {
    const { broken } = await cutPower(program, [fault], startAgain)
    expect(count(broken, 'is lost') + count(broken, 'does not start')).toBeGreaterThan(0)
  })
})
