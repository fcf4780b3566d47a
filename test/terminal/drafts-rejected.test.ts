import { describe, expect, it } from 'vitest'
import { decideElsewhere, draftFiles, first, second, withText } from './drafts.ts'

describe('an unsent edited text', () => {
  it('is kept when another user decided first, and shown beside the current text', async () => {
    const { staff, open } = await withText()
    await using _ = staff
    const terminal = await open()
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    await decideElsewhere(staff, { resolution: 'rejected' })
    terminal.press('y')
    await terminal.shows(/This approval is already rejected. Your draft is kept/)
    await terminal.shows(/Decided: rejected by Otto Other/)
    await terminal.shows(/\[draft\]/)
    await terminal.shows(/Added by hand/)
    expect(draftFiles(staff)).toHaveLength(2)
  })

  it('applies to the next version, when the user chooses between both', async () => {
    const { staff, open } = await withText()
    await using _ = staff
    const terminal = await open()
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    await decideElsewhere(staff, { resolution: 'revision_requested' })
    await (await staff.harness.next()).deliver(second)
    terminal.press('y')
    await terminal.shows(/The text has changed since you saw it[^]* Your draft is\s+kept: e/)
    await terminal.shows(/version 2 by/)
    await terminal.shows(/It was made from version 1\. From version 2/)
    terminal.press('e')
    await terminal.shows(/Your draft was made from version 1, and the text is version 2 now/)
    terminal.press('2')
    await terminal.hides(/Your draft was made/)
    await terminal.shows(/Added by hand/)
    terminal.press('e', '3')
    await terminal.shows(/Discard your draft of the text/)
    terminal.press('n')
    await terminal.hides(/Discard your draft/)
    terminal.press('e', '1')
    await terminal.shows(/with these changes\?/)
    terminal.press('y')
    await terminal.shows(/edited and approved/)
    const [output] = await staff.harness.app.db.sql.all(
      'select text from outputs order by version desc limit 1',
    )
    expect(output).toEqual({ text: `${first}${'\nAdded by hand.'.repeat(2)}` })
  })

  it.each([
    ['a connection that is lost', undefined, /cannot be reached/],
    ['a session that has ended', 401, /logged out/],
  ])('is kept over %s', async (_name, status, said) => {
    let isOff = false
    const { staff, open } = await withText({
      between(request, response, handle) {
        if (!isOff) return handle(request, response)
        if (status === undefined) return request.socket.destroy()
        const error = { code: 'UNAUTHORIZED', message: 'The token has expired' }
        return response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error }))
      },
    })
    await using _ = staff
    const terminal = await open()
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    isOff = true
    terminal.press('y')
    await terminal.shows(said)
    await terminal.shows(/Your\s+draft\s+is\s+kept/)
    isOff = false
    await terminal.shows(/The server answers again/)
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    terminal.press('y')
    await terminal.shows(/edited and approved/)
    await expect.poll(() => draftFiles(staff)).toEqual([])
  })
})
