import type { Reply } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { onScreen } from './screen.ts'
import { createStaff } from './staff.ts'

type Answer = Reply<'cli', 'POST /nl'>

/** Staff whose server understands every request as `answer` says. */
async function understood(answer: () => Answer) {
  return createStaff({
    between: (request, response, handle) => {
      if (request.url !== '/cli/v1/nl') return handle(request, response)
      request.resume()
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer()))
    },
  })
}

describe('copydesk ask', () => {
  it('prints text and a table, and changes nothing', async () => {
    const table = [
      ['Tenant', 'Waits'],
      ['Tenant\u001b[2J 1', '3'],
    ]
    const answer: Answer = { type: 'data', data: { text: 'Three approvals wait.', table } }
    await using staff = await understood(() => answer)
    const { code, stdout } = await staff.run(['ask', 'what', 'waits?'])
    expect(code).toBe(0)
    expect(stdout).toBe('Three approvals wait.\n\nTenant\tWaits\nTenant␛[2J 1\t3\n')
    expect(await staff.json(['ask', 'what waits?'])).toEqual(answer)
  })

  it('prints the proposed command, and runs it only with --yes or after a confirmation', async () => {
    let approvalId = ''
    const description = 'Approves one text of Tenant 1.'
    await using staff = await understood(() => ({
      type: 'action',
      action: { command: `/approve ${approvalId} --note "Well \\"put\\""`, description, destructive: true },
    }))
    ;({ approvalId } = await staff.waiting())
    const before = await staff.harness.state()
    const shown = await staff.run(['ask', 'approve', 'it'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(/Approves one text[^]*\/approve [^]*It was not executed\.\n$/)
    using declined = await onScreen(['ask', 'approve it'], { cwd: staff.home, env: staff.env })
    await declined.shows('Run it?')
    declined.type('n')
    await declined.shows('It was not executed.')
    expect(await declined.ended).toBe(0)
    expect(await staff.harness.state()).toEqual(before)
    expect(await staff.json(['ask', 'approve it', '--yes'])).toMatchObject([{ approvalId, done: true }])
    const [piece] = await staff.json<Array<{ approval: object }>>(['show', approvalId])
    expect(piece?.approval).toMatchObject({ status: 'approved', resolutionNote: 'Well "put"' })
  })

  it('exits with 1 when the server asks back, with the question on stderr or as JSON on stdout', async () => {
    const clarification = { question: 'Which one?', options: ['the first', 'the second'] }
    const answer: Answer = { type: 'clarification', clarification }
    await using staff = await understood(() => answer)
    const reason = 'error: Nothing was done: the request is ambiguous.\n'
    expect(await staff.run(['ask', 'approve it'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Which one?\n  • the first\n  • the second\n${reason}`,
    })
    expect(await staff.run(['ask', 'approve it', '--yes'])).toMatchObject({ code: 1, stdout: '' })
    const forPrograms = await staff.run(['ask', 'approve it', '--json'])
    expect(forPrograms).toMatchObject({ code: 1, stderr: reason })
    expect(JSON.parse(forPrograms.stdout)).toEqual(answer)
  })
})
