import { describe, expect, it } from 'vitest'
import { createStaff } from './staff.ts'

describe('plain words at the terminal', () => {
  it('are answered with facts, or run as the proposed command after a confirmation', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    await (await harness.order()).deliver('# Oats\n\nSpring is here.')
    const pending = () => harness.count(`select count(*) as n from approvals where status = 'pending'`)
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press(':', 'what waits for me?', 'enter')
    await terminal.shows(/copydesk what waits for me\?/)
    await terminal.shows(/Social post/)
    terminal.press('q')
    await terminal.shows(/queue:/)
    terminal.press(':', 'approve all low-risk posts', 'enter')
    await terminal.shows(/\/bulk approve|\/approve/)
    await terminal.shows(/Run it\?/)
    expect(await pending()).toBe(1)
    terminal.press('n')
    await terminal.shows(/It was not executed/)
    expect(await pending()).toBe(1)
    terminal.press(':', 'up', 'enter')
    await terminal.shows(/Run it\?/)
    terminal.press('y')
    await expect.poll(pending).toBe(0)
  })

  it('that are ambiguous lead to a question, whose answer continues them', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    await (await harness.order()).deliver('# Oats\n\nSpring is here.')
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press(':', 'reject the social post', 'enter')
    await terminal.shows(/What is wrong with "Social post: draft" of Tenant 1\?/)
    terminal.press('Off brand', 'enter')
    await terminal.shows(/\/reject/)
    terminal.press('y')
    await expect
      .poll(() => harness.count(`select count(*) as n from approvals where resolution_note = 'Off brand'`))
      .toBe(1)
  })
})
