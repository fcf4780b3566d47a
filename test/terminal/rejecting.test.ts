import { describe, expect, it } from 'vitest'
import { createStaff } from './staff.ts'

const text = '# Oats\n\nMorning Oats are rolled and cheap.'

describe('a rejection at the terminal', () => {
  it('announces that the agent writes another version, which it does', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    await (await harness.order()).deliver(text)
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/rolled and cheap/)
    terminal.press('r')
    await terminal.shows(/Why is .* rejected\?/)
    await terminal.shows(/Next: its agent reads the note and writes another version\./)
    await terminal.shows(/tab: cancel the activity instead/)
    terminal.press('tab')
    await terminal.shows(/Next: the activity is cancelled for good/)
    terminal.press('tab')
    await terminal.shows(/Next: its agent reads the note/)
    terminal.press('Off brand', 'enter')
    await terminal.shows(/rejected: .*Nothing else is pending/)
    const again = await harness.next()
    expect(again.dispatch.prompt).toContain('Off brand')
  })

  it('cancels the activity for good when chosen, and wakes no agent', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    const agent = await harness.order()
    await agent.deliver(text)
    const { id } = await harness.activityOf(agent.runId)
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('r')
    await terminal.shows(/Next: its agent reads the note and writes another version\./)
    terminal.press('tab')
    await terminal.shows(/Next: the activity is cancelled for good/)
    terminal.press('escape')
    await terminal.hides(/Next:/)
    terminal.press('enter')
    await terminal.shows(/rolled and cheap/)
    terminal.press('r')
    await terminal.shows(/Next: its agent reads the note/)
    terminal.press('tab')
    await terminal.shows(/Next: the activity is cancelled for good\. No further version is written/)
    terminal.press('Off brand', 'enter')
    await terminal.shows(/rejected, and the activity is cancelled: .*Nothing else is\s+pending/)
    const [approval] = await harness.app.db.sql.all('select resolution, resolution_note from approvals')
    expect(approval).toEqual({ resolution: 'rejected', resolution_note: 'Off brand' })
    const [activity] = await harness.app.db.sql.all(
      'select status, failure_reason from activities where id = ?',
      [id],
    )
    expect(activity).toEqual({ status: 'failed', failure_reason: 'cancelled_by_reviewer' })
    expect(await harness.count('select count(*) as n from runs where open = ?', true)).toBe(0)
  })

  it('by a command shows what it cancels before the confirmation', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    await (await harness.order()).deliver(text)
    const [asked] = await harness.app.db.sql.all<{ id: string }>('select id from approvals')
    const terminal = await staff.sit({ columns: 120 })
    await terminal.shows(/1 pending/)
    terminal.press(':', `reject ${asked?.id} --note "Off brand"`, 'enter')
    await terminal.shows(/Next: its agent reads the note and writes another version\./)
    terminal.press('n')
    await terminal.hides(/Next:/)
    terminal.press(':', `reject ${asked?.id} --note "Off brand" --end`, 'enter')
    await terminal.shows(/Next: the activity is cancelled for good/)
    terminal.press('y')
    await terminal.shows(/rejected, 1 activity ended/)
    expect(
      await harness.count(
        `select count(*) as n from activities where failure_reason = 'cancelled_by_reviewer'`,
      ),
    ).toBe(1)
  })
})
