import { describe, expect, it } from 'vitest'
import { askForDue } from '../../packages/core/src/composition/calendar.ts'
import { calendarJobs } from '../../packages/core/src/composition/jobs.ts'
import { parts } from '../domain/agents.ts'
import { createTestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'

const job = calendarJobs.find(({ kind }) => kind === 'housekeeping') as (typeof calendarJobs)[number]
const hour = 3_600_000

/** Two instances on one database, at a moment of the test's choice; nothing runs in them by itself. */
async function createNodes() {
  await using stack = new AsyncDisposableStack()
  const clock = createTestClock(Date.parse('2026-04-10T09:30:00Z'))
  const app = stack.use(await createTestApp({ clock, worker: false }))
  const nodes = [stack.use(await parts(app)), stack.use(await parts(app))]
  const owned = stack.move()
  return {
    clock,
    /** Every node looks at the same time. */
    look: () => Promise.all(nodes.map((node) => askForDue(node.system(), job))),
    /** The jobs that were asked for and not done. */
    asked: async () =>
      Number(
        (await app.db.sql.get<{ n: unknown }>(`select count(*) as n from job where kind = '${job.kind}'`))?.n,
      ),
    finish: () => app.db.write((tx) => tx.run(`update job set status = 'done' where kind = '${job.kind}'`)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

describe('a scheduled job', () => {
  it('is enqueued once at each instant, over any number of nodes and checks', async () => {
    await using nodes = await createNodes()
    await nodes.look()
    for (const count of [1, 2, 3]) {
      nodes.clock.advance(hour)
      await nodes.look()
      // Done already when the next node looks: it must not be asked for again.
      await nodes.finish()
      await nodes.look()
      expect(await nodes.asked()).toBe(count)
    }
  })

  it('is caught up once after an outage, and not for times before the installation', async () => {
    await using nodes = await createNodes()
    await nodes.look()
    expect(await nodes.asked()).toBe(0)
    nodes.clock.advance(48 * hour)
    await nodes.look()
    expect(await nodes.asked()).toBe(1)
  })

  it('is merged with one that is still queued', async () => {
    await using nodes = await createNodes()
    await nodes.look()
    for (let time = 0; time < 3; time += 1) {
      nodes.clock.advance(hour)
      await nodes.look()
    }
    expect(await nodes.asked()).toBe(1)
  })
})
