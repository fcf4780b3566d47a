import { describe, expect, it } from 'vitest'
import { waitForClient } from '../kit/seeded-campaigns.ts'
import { createStaffTerminal, type StaffTerminal } from '../kit/staff-terminal.ts'
import { sit } from './logged-in.ts'
import { createStaff } from './staff.ts'

/** What waits at two tenants: of high, medium and low risk, and something that stands still. */
async function insertDay({ insert, hearth, anvil }: StaffTerminal) {
  await insert.approval(hearth.tenantId, 'Spring post', 'low', 40)
  await insert.approval(anvil.tenantId, 'Anvil offer', 'high', 30)
  await insert.approval(hearth.tenantId, 'Summer letter', 'medium', 20)
  await insert.blocked(anvil.tenantId, 'Numbers of May', 3)
}

/** The order in which titles stand on the screen. */
const order = (lines: readonly string[], titles: readonly string[]) =>
  lines.flatMap((line) => titles.find((title) => line.includes(title)) ?? [])

describe('home', () => {
  it('shows the feed first, the status of tenants, and the health of the installation', async () => {
    await using harness = await createStaffTerminal()
    await insertDay(harness)
    const terminal = await harness.terminal()
    await terminal.shows(/3 approvals waiting · 1 high risk · 1 blocked/)
    await terminal.shows('Numbers of May')
    const titles = ['Anvil offer', 'Numbers of May', 'Summer letter', 'Spring post']
    expect(order(terminal.lines(), titles)).toEqual(titles)
    await terminal.shows(/Anvil +1 +1 +· +1 +\$0\.00/)
    await terminal.shows(/Hearth & Oat +2 +· +· +· +\$0\.00/)
    await terminal.shows(/● .*healthy/)
    await terminal.shows(/2 queue +3 agents +4 tenants/)
    expect(terminal.isChosen(2)).toBe(true)
  })

  it('updates without a key, and keeps the selection', async () => {
    await using harness = await createStaffTerminal()
    await insertDay(harness)
    const terminal = await harness.terminal()
    await terminal.shows('Summer letter')
    terminal.press('down', 'down')
    await terminal.shows(/› +approval .*Summer letter/)
    await expect.poll(() => harness.asked.filter((path) => path.includes('/events/stream'))).toHaveLength(1)
    await harness.insert.approval(harness.anvil.tenantId, 'Late offer', 'high', 2)
    await harness.tell(harness.anvil)
    await terminal.shows('Late offer')
    await terminal.shows(/› +approval .*Summer letter/)
  })

  it('dismisses and snoozes an item of the feed', async () => {
    await using harness = await createStaffTerminal()
    await insertDay(harness)
    const terminal = await harness.terminal()
    await terminal.shows(/› +approval .*Anvil offer/)
    terminal.press('d')
    await terminal.shows('What is of high risk can be snoozed, not dismissed')
    terminal.press('s')
    await terminal.shows('Snooze it for how long?')
    terminal.press('down', 'enter')
    await terminal.hides('Anvil offer')
    await terminal.shows(/is hidden until 20/)
    await terminal.shows(/› .*Numbers of May/)
    terminal.press('d')
    await terminal.hides('Numbers of May')
    await terminal.shows(/is hidden until something new/)
  })

  it('shows a campaign that waits for the client to its reviewers, with the commands that decide', async () => {
    await using staff = await createStaff()
    const id = await waitForClient(staff.harness.team.member, 'Rye')
    await using terminal = await sit(staff, 'reviewer.1.tenant-1@test.example')
    await terminal.shows(/› +campaign .*Rye ads/)
    terminal.press('enter')
    await terminal.shows('All about Rye')
    await terminal.shows(id)
  })

  it('opens every screen with one key, and returns with it', async () => {
    await using harness = await createStaffTerminal()
    await insertDay(harness)
    const terminal = await harness.terminal()
    await terminal.shows('Summer letter')
    for (const [key, title] of [
      ['2', 'queue: waiting'],
      ['3', /\d+ agents/],
      ['4', /copydesk tenants/],
      ['5', 'this month  by tenant'],
      ['6', 'copydesk requests'],
    ] as const) {
      terminal.press(key)
      await terminal.shows(title)
    }
    terminal.press('?')
    await terminal.shows('Keys on requests')
    await terminal.shows('copy the command')
    terminal.press('1')
    await terminal.shows(/3 approvals waiting/)
    terminal.press('q')
    expect(await terminal.ended).toBe(0)
  })

  it('stays open on escape, and shows the key that quits', async () => {
    await using harness = await createStaffTerminal()
    await insertDay(harness)
    const terminal = await harness.terminal()
    await terminal.shows('Summer letter')
    terminal.press('2')
    await terminal.shows('queue: waiting')
    terminal.press('escape')
    await terminal.shows(/3 approvals waiting/)
    terminal.press('escape')
    await terminal.shows('q leaves the terminal')
    terminal.press('down')
    await terminal.shows(/› .*Numbers of May/)
    terminal.press('q')
    expect(await terminal.ended).toBe(0)
  })

  it.each([
    [80, 24],
    [40, 10],
    [20, 6],
  ])('shows what matters on a window of %i × %i', async (columns, rows) => {
    await using harness = await createStaffTerminal()
    await insertDay(harness)
    const terminal = await harness.terminal()
    await terminal.shows('Summer letter')
    await terminal.resize(columns, rows)
    await expect.poll(() => terminal.lines().at(-1)).toMatch(/\? help$/)
    await terminal.shows(/copydesk 3 appr/)
    await terminal.shows(/› +approval/)
    expect(Math.max(...terminal.lines().map((line) => line.length))).toBeLessThanOrEqual(columns)
    terminal.press('3')
    await terminal.shows('agents')
    await terminal.resize(100, 30)
    terminal.press('1')
    await terminal.shows(/Anvil +1 +1 +· +1 +\$0\.00/)
  })
})
