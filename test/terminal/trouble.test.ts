import { describe, expect, it } from 'vitest'
import { createStaffTerminal, type Gate } from '../kit/staff-terminal.ts'
import type { Terminal } from '../kit/terminal.ts'

const dead: Gate = (request) => {
  request.socket.destroy()
  return false
}

const answer =
  (status: number, body: unknown, of = /./): Gate =>
  (request, response) => {
    if (!of.test(request.url ?? '')) return true
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    return false
  }

/** What puts a terminal back as it was: the primary screen, a cursor, and pastes as they come. */
function expectRestored(terminal: Terminal) {
  const written = terminal.written()
  expect(written.lastIndexOf('\u001b[?1049l')).toBeGreaterThan(written.lastIndexOf('\u001b[?1049h'))
  expect(written.lastIndexOf('\u001b[?25h')).toBeGreaterThan(written.lastIndexOf('\u001b[?25l'))
  expect(written.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(written.lastIndexOf('\u001b[?2004h'))
}

describe('a lost connection', () => {
  it('is shown with the age of the data; everything resumes automatically, live events too', async () => {
    await using harness = await createStaffTerminal()
    const { insert, hearth } = harness
    await insert.approval(hearth.tenantId, 'Spring post', 'low', 40)
    const terminal = await harness.terminal()
    await terminal.shows('Spring post')
    await expect.poll(() => harness.asked.some((path) => path.includes('/events/stream'))).toBe(true)
    harness.gate = dead
    harness.breakOff()
    await terminal.shows(/no connection, as of \d\d:\d\d:\d\d/)
    await terminal.shows('Spring post')
    terminal.press('2')
    await terminal.shows('queue: waiting')
    await terminal.shows('cannot be reached')
    terminal.press('q')
    await insert.approval(hearth.tenantId, 'Written meanwhile', 'high', 3)
    harness.gate = undefined
    await terminal.hides('no connection')
    await terminal.shows('The server answers again')
    await terminal.shows('Written meanwhile')
    await insert.approval(hearth.tenantId, 'Written afterwards', 'high', 2)
    // The stream comes back a little after the calls.
    await expect
      .poll(async () => {
        await harness.tell(hearth)
        return terminal.screen()
      })
      .toMatch('Written afterwards')
  })

  it('never delays keys', async () => {
    await using harness = await createStaffTerminal()
    await harness.insert.approval(harness.hearth.tenantId, 'Spring post', 'low', 40)
    const terminal = await harness.terminal()
    await terminal.shows('Spring post')
    // Nothing is answered from now on, and nothing refused.
    harness.gate = () => false
    terminal.press('3')
    await terminal.shows('Loading …')
    terminal.press('?')
    await terminal.shows('Keys on agents')
    terminal.press('1')
    await terminal.shows('Spring post')
    terminal.press('q')
    expect(await terminal.ended).toBe(0)
  })
})

describe('an invalid credential', () => {
  it('is reported with the remedy, keeps the screen, and works again with a new one', async () => {
    await using harness = await createStaffTerminal()
    await harness.insert.approval(harness.hearth.tenantId, 'Spring post', 'low', 40)
    const terminal = await harness.terminal()
    await terminal.shows('Spring post')
    harness.gate = answer(401, { error: { code: 'UNAUTHORIZED', message: 'The token has expired' } })
    terminal.press('R')
    await terminal.shows(/logged out, as of \d\d:/)
    await terminal.shows('copydesk login')
    await terminal.shows('Spring post')
    harness.gate = undefined
    await terminal.hides('logged out')
    await terminal.shows('The server answers again')
  })
})

describe('an error in a screen', () => {
  it('is reported in a sentence, and other screens work', async () => {
    await using harness = await createStaffTerminal()
    await harness.insert.approval(harness.hearth.tenantId, 'Spring post', 'low', 40)
    const terminal = await harness.terminal()
    await terminal.shows('Spring post')
    harness.gate = answer(200, { data: [{ tenantId: 'a', role: 7 }] }, /\/agents/)
    terminal.press('3')
    await terminal.shows(/Internal error in the terminal/)
    expect(terminal.screen()).not.toMatch(/\.mjs|^ +at /m)
    terminal.press('1')
    await terminal.shows('Spring post')
    terminal.press('q')
    expect(await terminal.ended).toBe(0)
    expectRestored(terminal)
  })
})

describe('the terminal of the shell', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('is restored after %s', async (signal) => {
    await using harness = await createStaffTerminal()
    const terminal = await harness.terminal()
    await terminal.shows('approvals waiting')
    terminal.kill(signal)
    await terminal.ended
    expectRestored(terminal)
  })

  it('is restored on exit, and is not cleared for every frame', async () => {
    await using harness = await createStaffTerminal()
    for (let n = 0; n < 40; n += 1)
      await harness.insert.approval(harness.hearth.tenantId, `Piece ${n}`, 'low', 40 + n)
    const terminal = await harness.terminal()
    await terminal.shows('Piece 3')
    const before = terminal.written().length
    terminal.press('down')
    await terminal.shows(/› +approval .*Piece 1 /)
    const frame = terminal.written().slice(before)
    expect(frame).not.toContain('\u001b[2J')
    expect(frame).not.toContain('\u001b[J')
    // Two lines change: the one that was looked at and the one that is.
    expect(frame.match(/Piece \d+/g)?.length).toBeLessThanOrEqual(2)
    terminal.press('ctrl+c')
    expect(await terminal.ended).toBe(0)
    expectRestored(terminal)
  })

  it('is returned to the shell on Ctrl-Z', async () => {
    await using harness = await createStaffTerminal()
    const terminal = await harness.terminal({ shell: true })
    await terminal.shows('approvals waiting')
    terminal.press('ctrl+z')
    await terminal.shows(/Stopped/)
    terminal.press('fg', 'enter')
    await terminal.shows('approvals waiting')
    await terminal.shows('? help')
    terminal.press('3')
    await terminal.shows('agents')
    terminal.press('q', 'q')
    await terminal.hides('agents')
    // What is typed before the shell asks for a command belongs to the program that is ending.
    await terminal.shows(/^bash-[\d.]+[#$]$/m)
    terminal.press('echo left with $?', 'enter')
    await terminal.shows('left with 0')
  })
})
