import { describe, expect, it } from 'vitest'
import { createStaffTerminal, type StaffTerminal } from '../kit/staff-terminal.ts'

/** Approvals of one tenant that wait, in one statement. */
async function insertMany({ app, clock, hearth }: StaffTerminal, count: number) {
  const at = new Date(clock.now())
  const later = new Date(clock.now() + 48 * 3_600_000)
  await app.db.write((tx) =>
    tx.run(
      `insert into approvals (id, tenant_id, title, type, risk_level, risk_rank, status, created_by_id, created_by_name,
         created_by_type, created_on, expires_at, due_at, updated_on)
       select '00E' || printf('%023d', n), ?, 'Question ' || n, 'content_review', 'low', 3, 'pending', 'system', 'A test', 'human',
         ?, ?, ?, ?
       from (with recursive s (n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s)`,
      [hearth.tenantId, at, later, later, at],
    ),
  )
}

const looked = (lines: readonly string[]) =>
  Number(/Question (\d+)/.exec(lines.find((line) => line.startsWith('›')) ?? '')?.[1] ?? Number.NaN)

describe('ten thousand rows', () => {
  it('can be scrolled at the speed of key repetition without a delay', async () => {
    await using harness = await createStaffTerminal()
    await insertMany(harness, 10_000)
    const terminal = await harness.terminal()
    await terminal.shows('10000 approvals waiting')
    terminal.press('2')
    await terminal.shows('queue: waiting  10000 pending')
    const first = looked(terminal.lines())
    terminal.press(...Array.from({ length: 60 }, () => 'pagedown'))
    await expect.poll(() => looked(terminal.lines())).not.toBe(first)
    terminal.press('?')
    await terminal.shows('Keys on the queue')
    terminal.press('q')
    await terminal.shows('10000 pending')
    // The end of what has been read moves on while one goes there.
    const seen = new Set<number>()
    await expect
      .poll(
        () => {
          terminal.press('pagedown', 'pagedown', 'pagedown', 'pagedown', 'pagedown')
          seen.add(looked(terminal.lines()))
          return seen.has(1) || seen.has(10_000)
        },
        { timeout: 45_000, interval: 10 },
      )
      .toBe(true)
    terminal.press('home')
    await expect.poll(() => looked(terminal.lines())).toBe(first)
    // Letters as well, many in one report.
    terminal.press('j'.repeat(300))
    await expect.poll(() => Math.abs(looked(terminal.lines()) - first)).toBe(300)
    expect(harness.asked.filter((path) => path.includes('/queue')).length).toBeLessThan(200)
    terminal.press('1')
    await terminal.shows('10000 approvals waiting')
    terminal.press('q')
    expect(await terminal.ended).toBe(0)
  })
})
