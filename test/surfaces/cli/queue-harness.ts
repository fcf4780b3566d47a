import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'

/** Two tenants without work, and rows to put into their queues. */
export async function createQueues() {
  const clock = createTestClock()
  const app = await createTestApp({ clock, worker: false })
  const [ours, theirs] = [await app.team('Ours'), await app.team('Theirs')]
  return { app, clock, ours, theirs, insert: createRowInserter(app, clock) }
}

export const titles = (items: ReadonlyArray<{ title: string }>) => items.map(({ title }) => title)
