import { createIds } from '../../packages/core/src/platform/clock.ts'
import type { TestApp } from './app.ts'
import { createTestClock } from './clock.ts'

/**
 * Inserts comments of an activity directly into the database, which is faster than hundreds of requests.
 * @returns their texts, oldest first
 */
export async function keepComments(
  { db }: Pick<TestApp, 'db'>,
  { activityId, tenantId, total }: { activityId: string; tenantId: string; total: number },
): Promise<string[]> {
  const clock = createTestClock()
  const newId = createIds(clock)
  const texts = Array.from({ length: total }, (_, n) => `Comment ${n + 1}`)
  await db.write(async (tx) => {
    for (const text of texts)
      await tx.run(
        `insert into activity_comments (id, tenant_id, activity_id, text, type, author_id, author_name, author_type, mentions, created_on)
         values (?, ?, ?, ?, 'comment', 'u', 'Ada Admin', 'human', '[]', ?)`,
        [newId(), tenantId, activityId, text, clock.date()],
      )
  })
  return texts
}
