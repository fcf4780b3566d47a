import { describe, expect, it } from 'vitest'
import { createStaff } from './staff.ts'

const text = '# Oats\n\nMorning Oats are rolled and cheap.'

describe('a rejection at the terminal', () => {
  it('says that the agent tries again, which it does', async () => {
    await using staff = await createStaff()
    const { desk } = staff
    await (await desk.order()).deliver(text)
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/rolled and cheap/)
    terminal.press('r')
    await terminal.shows(/Why is .* turned down\?/)
    await terminal.shows(/Next: its agent reads this and writes another version\./)
    await terminal.shows(/tab: end the work instead/)
    terminal.press('tab')
    await terminal.shows(/Next: the work ends for good/)
    terminal.press('tab')
    await terminal.shows(/Next: its agent reads this/)
    terminal.press('Off brand', 'enter')
    await terminal.shows(/rejected: .*Nothing else waits/)
    const again = await desk.next()
    expect(again.dispatch.prompt).toContain('Off brand')
  })

  it('ends the work for good where that is chosen, and wakes nobody', async () => {
    await using staff = await createStaff()
    const { desk } = staff
    const agent = await desk.order()
    await agent.deliver(text)
    const { id } = await desk.activityOf(agent.runId)
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('r')
    await terminal.shows(/Next: its agent reads this and writes another version\./)
    terminal.press('tab')
    await terminal.shows(/Next: the work ends for good/)
    terminal.press('escape')
    await terminal.hides(/Next:/)
    terminal.press('enter')
    await terminal.shows(/rolled and cheap/)
    terminal.press('r')
    await terminal.shows(/Next: its agent reads this/)
    terminal.press('tab')
    await terminal.shows(/Next: the work ends for good\. Nothing more is written/)
    terminal.press('Off brand', 'enter')
    await terminal.shows(/rejected, and the work has ended: .*Nothing else waits/)
    const [approval] = await desk.app.db.sql.all('select resolution, resolution_note from approvals')
    expect(approval).toEqual({ resolution: 'rejected', resolution_note: 'Off brand' })
    const [activity] = await desk.app.db.sql.all(
      'select status, failure_reason from activities where id = ?',
      [id],
    )
    expect(activity).toEqual({ status: 'failed', failure_reason: 'cancelled_by_reviewer' })
    expect(await desk.count('select count(*) as n from runs where open = ?', true)).toBe(0)
  })

  it('by a command says before it is done what it ends', async () => {
    await using staff = await createStaff()
    const { desk } = staff
    await (await desk.order()).deliver(text)
    const [asked] = await desk.app.db.sql.all<{ id: string }>('select id from approvals')
    const terminal = await staff.sit({ columns: 120 })
    await terminal.shows(/1 pending/)
    terminal.press(':', `reject ${asked?.id} --note "Off brand"`, 'enter')
    await terminal.shows(/Next: its agent reads this and writes another version\./)
    terminal.press('n')
    await terminal.hides(/Next:/)
    terminal.press(':', `reject ${asked?.id} --note "Off brand" --end`, 'enter')
    await terminal.shows(/Next: the work ends for good/)
    terminal.press('y')
    await terminal.shows(/rejected, 1 piece of work ended/)
    expect(
      await desk.count(`select count(*) as n from activities where failure_reason = 'cancelled_by_reviewer'`),
    ).toBe(1)
  })
})
