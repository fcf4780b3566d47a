import { describe, expect, it } from 'vitest'
import { createTestClock } from '../kit/clock.ts'
import { createRowInserter } from '../kit/feed-rows.ts'
import { createStaffTerminal } from '../kit/staff-terminal.ts'
import { createStaff } from './staff.ts'

const long = 'The summer catalogue for all of our shops'
const text = `# Oats\n\n${'Morning oats are rolled, never rushed, and always honest. '.repeat(8)}`

describe('a list at the terminal', () => {
  it('shows titles before columns of a lower rank, and the campaign when there is room', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    const agent = await harness.order('social_post', { name: 'Spring launch' })
    await agent.deliver(text)
    await harness.app.db.write((tx) => tx.run('update approvals set title = ?', [long]))
    const terminal = await staff.sit()
    await terminal.shows(long)
    await terminal.hides('social_writer')
    terminal.press('1')
    await terminal.shows(/2 queue +3 agents/)
    await terminal.shows(/› +approval .*The summer catalogue for all of our shops/)
    await terminal.resize(160, 24)
    terminal.press('2')
    await terminal.shows(new RegExp(`low .*Tenant 1 +${long} +Spring launch +social_post +social_writer`))
    await terminal.resize(40, 10)
    await terminal.shows(/› +low +.*The summer catalogue/)
  })

  it('shows the position and the number of rows below', async () => {
    await using harness = await createStaffTerminal()
    for (let n = 1; n <= 30; n += 1)
      await harness.insert.approval(harness.hearth.tenantId, `Piece ${n}.`, 'low', 5 + n)
    const terminal = await harness.terminal()
    await terminal.shows(/1 of 30 · \d+ more below/)
    terminal.press('2')
    await terminal.shows(/queue: waiting/)
    await terminal.shows(/1 of 30 · 11 more below/)
    await terminal.shows('Piece 19.')
    await terminal.hides('Piece 20.')
    terminal.press('down', 'down')
    await terminal.shows(/3 of 30 · 11 more below/)
    terminal.press('G')
    await terminal.shows(/30 of 30/)
    await terminal.hides(/more below/)
    await terminal.shows(/› +low .*Piece 30\./)
    await terminal.resize(80, 60)
    await terminal.hides(/of 30/)
  })
})

describe('running text at the terminal', () => {
  it('has at most 90 columns on a wide screen', async () => {
    await using staff = await createStaff()
    await (await staff.harness.order()).deliver(text)
    const terminal = await staff.sit({ columns: 200, rows: 50 })
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/Morning oats are rolled/)
    const lines = terminal.lines().filter((line) => /Morning|oats|honest/.test(line))
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(90)
  })
})

describe('the campaign of an approval', () => {
  it('is shown in the review, also with little room', async () => {
    await using staff = await createStaff()
    await (await staff.harness.order('social_post', { name: 'Spring launch' })).deliver(text)
    const terminal = await staff.sit({ columns: 40, rows: 10 })
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/campaign\s+Spring\s+launch/)
  })

  it('is omitted for an approval without an activity', async () => {
    await using staff = await createStaff()
    const insert = createRowInserter(staff.harness.app, createTestClock(Date.now()))
    await insert.approval(staff.harness.team.tenantId, 'Which?', 'low', 5)
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/expires in/)
    expect(terminal.screen()).not.toContain('campaign')
  })
})
