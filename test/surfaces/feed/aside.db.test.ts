import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../../../packages/core/src/composition/housekeeping.ts'
import { parts } from '../../domain/agents.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'

let app: TestApp
let clock: TestClock
let insert: ReturnType<typeof createRowInserter>
let team: Team

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  insert = createRowInserter(app, clock)
})
beforeEach(async () => {
  team = await app.team()
})
afterAll(() => app[Symbol.asyncDispose]())

const titles = async (client: Client, surface: 'dashboard' | 'dm' = 'dashboard') =>
  (await client.call(surface, 'GET /feed', {})).data.map(({ title }) => title)
const dismiss = (client: Client, itemId: string) =>
  client.call('dashboard', 'POST /feed/:itemId/dismiss', { params: { itemId } })
const snooze = (client: Client, itemId: string, until: Date) =>
  client.call('dashboard', 'POST /feed/:itemId/snooze', {
    params: { itemId },
    body: { until: until.toISOString() },
  })
const marks = () => app.db.sql.all('select * from feed_marks order by user_id, item_id')

describe('dashboard.feed.dismiss', () => {
  it('hides an item for one user, until something new happens', async () => {
    const { tenantId, admin, reviewer, member } = team
    const id = await insert.blocked(tenantId, 'stuck', 1)
    const other = await insert.blocked(tenantId, 'other', 1)
    expect(await dismiss(admin, id)).toEqual({ itemId: id, hiddenUntil: null })
    expect(await dismiss(admin, id)).toEqual({ itemId: id, hiddenUntil: null })
    expect(await titles(admin)).toEqual(['other'])
    for (const [client, surface] of [
      [member, 'dashboard'],
      [reviewer, 'dm'],
    ] as const)
      expect(await titles(client, surface)).toEqual(['stuck', 'other'])
    const record = await app.db.sql.all(`select action from audit_records where resource_id = ?`, [id])
    expect(record).toEqual([{ action: 'feed.dismiss' }, { action: 'feed.dismiss' }])
    // It went on, and stands still again.
    clock.advance(1)
    await app.db.write((tx) =>
      tx.run('update activities set status_since = ? where id in (?, ?)', [clock.date(), id, other]),
    )
    expect(await titles(admin)).toEqual(expect.arrayContaining(['stuck', 'other']))
  })

  it('shows an approval again when it is about to expire, and when its risk was raised', async () => {
    const { tenantId, admin } = team
    const id = await insert.approval(tenantId, 'a question', 'medium', 4.1)
    expect(await dismiss(admin, id)).toEqual({ itemId: id, hiddenUntil: insert.at(0.1).toISOString() })
    expect(await titles(admin)).toEqual([])
    clock.advance(359_999)
    expect(await titles(admin)).toEqual([])
    clock.advance(1)
    expect(await titles(admin)).toEqual(['a question'])
    // Anyone who dismisses it again knows that.
    expect(await dismiss(admin, id)).toEqual({ itemId: id, hiddenUntil: null })
    expect(await titles(admin)).toEqual([])
    clock.advance(1)
    await app.db.write((tx) =>
      tx.run(`update approvals set risk_level = 'high', risk_rank = 1, updated_on = ? where id = ?`, [
        clock.date(),
        id,
      ]),
    )
    expect(await titles(admin)).toEqual(['a question'])
  })

  it('never hides high-risk items for good, and rejects items that are not in the feed', async () => {
    const { tenantId, admin, member, reviewer } = team
    const high = await insert.approval(tenantId, 'risky', 'high', 20)
    const done = await insert.activity(tenantId, 'done', { status: 'done' })
    const over = await insert.approval(tenantId, 'over', 'low', 0)
    const before = await marks()
    await expect(dismiss(admin, high)).rejects.toMatchObject({ status: 422, code: 'UNPROCESSABLE' })
    // Members are not shown it, so there is nothing for them to put aside.
    await expect(dismiss(member, high)).rejects.toMatchObject({ status: 404 })
    for (const id of [done, over, tenantId, 'nonsense'])
      await expect(dismiss(admin, id)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    await expect(
      reviewer.call('dm', 'POST /feed/:itemId/dismiss', { params: { itemId: high } }),
    ).rejects.toMatchObject({ status: 422 })
    expect(await marks()).toEqual(before)
    expect(await titles(admin)).toEqual(['risky'])
  })

  it('keeps the later of two concurrent requests', async () => {
    const { tenantId, admin } = team
    const id = await insert.blocked(tenantId, 'stuck', 1)
    await Promise.all([dismiss(admin, id), dismiss(admin, id), snooze(admin, id, insert.at(1))])
    expect(await titles(admin)).toEqual([])
    const kept = (await marks()).filter((row) => (row as { item_id: string }).item_id === id)
    expect(kept).toHaveLength(1)
  })
})

describe('dashboard.feed.snooze', () => {
  it('shows an item again when the time has come, to the millisecond', async () => {
    const { tenantId, admin } = team
    const id = await insert.failed(tenantId, 'broken', 1)
    const until = insert.at(0.1)
    expect(await snooze(admin, id, until)).toEqual({ itemId: id, hiddenUntil: until.toISOString() })
    clock.advance(359_999)
    expect(await titles(admin)).toEqual([])
    clock.advance(1)
    expect(await titles(admin)).toEqual(['broken'])
  })

  it('of an approval ends at the latest when it is about to expire, also of high risk', async () => {
    const { tenantId, admin } = team
    const id = await insert.approval(tenantId, 'risky', 'high', 20)
    expect(await snooze(admin, id, insert.at(2))).toMatchObject({ hiddenUntil: insert.at(2).toISOString() })
    expect(await snooze(admin, id, insert.at(19))).toMatchObject({ hiddenUntil: insert.at(16).toISOString() })
    expect(await titles(admin)).toEqual([])
    const soon = await insert.approval(tenantId, 'soon', 'high', 3)
    expect(await snooze(admin, soon, insert.at(2.9))).toMatchObject({
      hiddenUntil: insert.at(2.9).toISOString(),
    })
  })

  it('rejects a time in the past, too far ahead, or after the deadline', async () => {
    const { tenantId, admin } = team
    const approval = await insert.approval(tenantId, 'risky', 'high', 20)
    const blocked = await insert.blocked(tenantId, 'stuck', 1)
    const before = await marks()
    for (const [id, hours] of [
      [approval, 20],
      [approval, 0],
      [blocked, -1],
      [blocked, 30 * 24 + 0.01],
    ] as const)
      await expect(snooze(admin, id, insert.at(hours))).rejects.toMatchObject({ status: 400, field: 'until' })
    expect(await marks()).toEqual(before)
  })
})

describe('housekeeping', () => {
  it('deletes old dismissals, but keeps those of activities that are still blocked', async () => {
    const { tenantId, admin } = team
    const blocked = await insert.blocked(tenantId, 'stuck', 1)
    const failed = await insert.failed(tenantId, 'broken', 1)
    for (const id of [blocked, failed]) await dismiss(admin, id)
    const long = new Date(clock.now() - 40 * 86_400_000)
    await app.db.write((tx) =>
      tx.run('update feed_marks set marked_on = ? where tenant_id = ?', [long, tenantId]),
    )
    await using instance = await parts(app)
    await cleanUp(instance.system())
    const left = (await marks()).map((row) => (row as { item_id: string }).item_id)
    expect(left).toContain(blocked)
    expect(left).not.toContain(failed)
  })
})
