import { describe, expect, it } from 'vitest'
import { createStaffTerminal } from '../kit/staff-terminal.ts'

describe('hostile text', () => {
  it('is shown escaped and has no effect', async () => {
    await using harness = await createStaffTerminal()
    const title = 'Offer\u001b[2J\u001b]0;owned\u0007\r\nnext \u202egnp.exe \u009b31m done'
    await harness.insert.approval(harness.hearth.tenantId, title, 'high', 10)
    const terminal = await harness.terminal({ columns: 120 })
    await terminal.shows('Offer␛[2J␛]0;owned␇ next \ufffdgnp.exe \ufffd31m done')
    expect(terminal.written()).not.toMatch(/\u001b\[2J|\u001b\]0;|\u202e|\u009b/)
    terminal.press('2')
    await terminal.shows('queue: waiting')
    await terminal.shows('Offer␛[2J␛]0;owned␇ next')
    expect(terminal.written()).not.toMatch(/\u001b\[2J|\u001b\]0;|\u202e|\u009b/)
  })
})

describe('wide letters and emoji', () => {
  it('keep columns aligned', async () => {
    await using harness = await createStaffTerminal()
    await harness.insert.approval(harness.hearth.tenantId, '春のパンの計画', 'high', 10)
    await harness.insert.approval(harness.hearth.tenantId, '👩‍🌾🥖 of the market', 'medium', 10)
    await harness.insert.approval(harness.hearth.tenantId, 'Plain title of a plan', 'low', 10)
    const terminal = await harness.terminal()
    await terminal.shows(/春のパン/)
    await terminal.shows('Plain title')
    const row = (text: string) => terminal.lineWith(text)
    const column = (text: string) => terminal.columnOf(row(text), 'Hearth')
    expect(column('春')).toBe(column('Plain title'))
    await terminal.shows(/👩‍🌾.* of the market/u)
    await terminal.resize(40, 10)
    await terminal.shows(/春のパン/)
    expect(terminal.lines().at(-1)).toMatch(/help$/)
  })
})

describe('without colours', () => {
  it.each([
    ['NO_COLOR', '1'],
    ['TERM', 'dumb'],
  ])('uses symbols: %s=%s', async (name, value) => {
    await using harness = await createStaffTerminal()
    await harness.insert.approval(harness.hearth.tenantId, 'Spring post', 'high', 10)
    await harness.insert.approval(harness.hearth.tenantId, 'Summer post', 'low', 10)
    const terminal = await harness.terminal({ env: { [name]: value } })
    await terminal.shows(/› +approval .*Spring post/)
    terminal.press('2')
    await terminal.shows(/› +high .*Spring post/)
    terminal.press(' ')
    await terminal.shows(/● high .*Spring post/)
    await terminal.shows(/› +low .*Summer post/)
    expect(terminal.hasColour()).toBe(false)
    expect(terminal.written()).not.toMatch(/\u001b\[[0-9;]*m/)
  })
})

describe('with a screen reader', () => {
  it('reads the selected row in words, without decoration, and nothing else', async () => {
    await using harness = await createStaffTerminal()
    await harness.insert.approval(harness.hearth.tenantId, 'Spring post', 'high', 10)
    await harness.insert.approval(harness.hearth.tenantId, 'Summer post', 'low', 10)
    const terminal = await harness.terminal({ env: { INK_SCREEN_READER: 'true' } })
    await terminal.shows('2 approvals waiting')
    await terminal.shows(
      /1 of 2, kind approval, age 1 h, left \d+ h, title Spring post, tenant Hearth &\s+Oat, why High risk/,
    )
    await terminal.shows(/tenant Hearth & Oat, waiting 2, high 1, running none/)
    expect(terminal.screen()).not.toMatch(/[›●▁█─]/u)
    expect(terminal.screen()).not.toContain('Summer post')
    const before = terminal.written().length
    terminal.press('down')
    await terminal.shows('2 of 2, kind approval')
    await terminal.hides('Spring post')
    // One frame, and that a short one.
    expect(terminal.written().length - before).toBeLessThan(1_000)
    terminal.press('2')
    await terminal.shows('1 of 2, risk high')
    terminal.press(' ', 'k')
    await terminal.shows(/1 of 2, marked, risk high/)
    terminal.press('r')
    await terminal.shows(/Why is .* rejected\?/)
    terminal.press('escape')
    await terminal.hides('Why is')
    terminal.press('1', 'q')
    expect(await terminal.ended).toBe(0)
  })
})
