import { describe, expect, it } from 'vitest'
import { createStaffDesk, type StaffDesk } from '../kit/staff-terminal.ts'

/** What waits at two tenants: of high, medium and low risk, and something that stands still. */
async function plantDay({ plant, hearth, anvil }: StaffDesk) {
  await plant.approval(hearth.tenantId, 'Spring post', 'low', 40)
  await plant.approval(anvil.tenantId, 'Anvil offer', 'high', 30)
  await plant.approval(hearth.tenantId, 'Summer letter', 'medium', 20)
  await plant.blocked(anvil.tenantId, 'Numbers of May', 3)
}

/** The order in which titles stand on the screen. */
const order = (lines: readonly string[], titles: readonly string[]) =>
  lines.flatMap((line) => titles.find((title) => line.includes(title)) ?? [])

describe('home', () => {
  it('shows what needs somebody first, how the tenants stand, and whether the installation is well', async () => {
    await using desk = await createStaffDesk()
    await plantDay(desk)
    const terminal = await desk.terminal()
    await terminal.shows(/3 approvals waiting · 1 high risk · 1 blocked/)
    await terminal.shows('Numbers of May')
    const titles = ['Anvil offer', 'Numbers of May', 'Summer letter', 'Spring post']
    expect(order(terminal.lines(), titles)).toEqual(titles)
    await terminal.shows(/Anvil +1 +1 +· +1 +\$0\.00/)
    await terminal.shows(/Hearth & Oat +2 +· +· +· +\$0\.00/)
    await terminal.shows(/● .*well/)
    await terminal.shows(/2 queue +3 agents +4 tenants/)
    expect(terminal.isChosen(2)).toBe(true)
  })

  it('shows what happens while nobody presses a key, and keeps what is looked at', async () => {
    await using desk = await createStaffDesk()
    await plantDay(desk)
    const terminal = await desk.terminal()
    await terminal.shows('Summer letter')
    terminal.press('down', 'down')
    await terminal.shows(/› +approval .*Summer letter/)
    await expect.poll(() => desk.asked.filter((path) => path.includes('/events/stream'))).toHaveLength(1)
    await desk.plant.approval(desk.anvil.tenantId, 'Late offer', 'high', 2)
    await desk.tell(desk.anvil)
    await terminal.shows('Late offer')
    await terminal.shows(/› +approval .*Summer letter/)
  })

  it('takes an item out of the feed, for good or for a while', async () => {
    await using desk = await createStaffDesk()
    await plantDay(desk)
    const terminal = await desk.terminal()
    await terminal.shows(/› +approval .*Anvil offer/)
    terminal.press('d')
    await terminal.shows('What is of high risk can be snoozed, not dismissed')
    terminal.press('s')
    await terminal.shows('Put it aside for how long?')
    terminal.press('down', 'enter')
    await terminal.hides('Anvil offer')
    await terminal.shows(/out of your feed until 20/)
    await terminal.shows(/› .*Numbers of May/)
    terminal.press('d')
    await terminal.hides('Numbers of May')
    await terminal.shows(/out of your feed until something new/)
  })

  it('is one key away from every screen, and they from it', async () => {
    await using desk = await createStaffDesk()
    await plantDay(desk)
    const terminal = await desk.terminal()
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

  it('stays open on escape, and says which key leaves', async () => {
    await using desk = await createStaffDesk()
    await plantDay(desk)
    const terminal = await desk.terminal()
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
  ])('has what matters on a window of %i × %i', async (columns, rows) => {
    await using desk = await createStaffDesk()
    await plantDay(desk)
    const terminal = await desk.terminal()
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
