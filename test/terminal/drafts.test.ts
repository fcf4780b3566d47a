import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { approvals, draftFiles, first, withText } from './drafts.ts'

describe('an unsent edited text', () => {
  it('is kept, shown, continued, and deleted when it was sent', async () => {
    const { staff, open } = await withText()
    await using _ = staff
    const terminal = await open()
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    await terminal.shows(/Added by hand/)
    terminal.press('n')
    await terminal.shows(/Your draft is kept: e continues it/)
    await terminal.shows(/✎ You have a draft of the text \(e\); D discards/)
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    await terminal.shows(/Added by hand\.\s+Added by hand\./)
    terminal.press('escape')
    await terminal.shows(/Your draft is kept/)
    for (const file of draftFiles(staff)) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(draftFiles(staff)).toHaveLength(2)
    terminal.press('q')
    await terminal.shows(/✎ Social post/)
    terminal.press('enter')
    await terminal.shows(/✎ You have a draft/)
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    terminal.press('y')
    await terminal.shows(/edited and approved/)
    const [output] = await staff.harness.app.db.sql.all(
      'select text from outputs order by version desc limit 1',
    )
    expect(output).toEqual({ text: `${first}${'\nAdded by hand.'.repeat(3)}` })
    await expect.poll(() => draftFiles(staff)).toEqual([])
  })

  it('survives a killed client, with what was typed at a prompt', async () => {
    const { staff, open } = await withText()
    await using _ = staff
    const terminal = await open()
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    terminal.press('q')
    await terminal.shows(/Your draft is kept/)
    terminal.press('r')
    await terminal.shows(/Why is .* rejected\?/)
    terminal.press('Too loud for')
    await terminal.shows(/> Too loud for/)
    const texts = () => draftFiles(staff).map((file) => readFileSync(file, 'utf8'))
    await expect.poll(texts).toContain('Too loud for')
    terminal.kill('SIGKILL')
    await terminal.ended
    const again = await open()
    await again.shows(/You have a draft of the text \(e\), a note \(r or b\)/)
    again.press('tab', 'tab', 'tab', 'tab', 'tab')
    await again.shows(/\[draft\]/)
    await again.shows(/Added by hand/)
    await again.shows(/Too loud for/)
    again.press('r')
    await again.shows(/> Too loud for/)
    again.press(' this brand', 'enter')
    await again.shows(/rejected: /)
    expect(await approvals(staff)).toMatchObject([{ resolution_note: 'Too loud for this brand' }])
    again.press(':', 'drafts', 'enter')
    await again.shows(/drafts {2}1 not sent/)
    again.press('enter')
    await again.shows(/Added by hand/)
    await again.shows(/text\.md/)
  })

  it('is kept when the editor fails, and not when it empties the text', async () => {
    const { staff, open } = await withText()
    await using _ = staff
    const editor = join(staff.folder, 'editor.sh')
    const does = (script: string) => writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const terminal = await open()
    does('exit 3')
    terminal.press('e')
    await terminal.shows(/ended with 3\. Nothing was changed/)
    does('printf "\\nHalf a" >> "$1"; exit 3')
    terminal.press('e')
    await terminal.shows(/ended with 3\. Your draft is kept/)
    does(': > "$1"')
    terminal.press('e')
    await terminal.shows(/An empty text cannot be approved; your draft is unchanged/)
    does('true')
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    await terminal.shows(/Half a/)
    terminal.press('D')
    await terminal.shows(/Discard your draft of the text/)
    terminal.press('y')
    await terminal.shows(/The draft is discarded/)
    expect(draftFiles(staff)).toEqual([])
    terminal.press('e')
    await terminal.shows(/Nothing was changed/)
    expect(draftFiles(staff)).toEqual([])
  })

  it('is private: another user of the same machine has separate drafts', async () => {
    const { staff, open } = await withText()
    await using _ = staff
    const terminal = await open()
    terminal.press('c')
    await terminal.shows(/Your comment\?/)
    terminal.press('Mine', 'escape')
    await terminal.shows(/Your draft is kept: c continues it/)
    terminal.press('ctrl+c')
    await terminal.ended
    const { users, apiKeys } = staff.harness.app.copydesk.asSystem()
    const { id: userId } = await users.create({
      email: 'olga@test.example',
      name: 'Olga Other',
      password: 'Correct-horse-1',
      role: 'reviewer',
      tenantIds: [staff.harness.team.tenantId],
    })
    const { key } = await apiKeys.create({ userId, name: 'Terminal' })
    const hers = await open({ COPYDESK_API_KEY: key })
    hers.press('c')
    await hers.shows(/Your comment\?/)
    expect(hers.screen()).not.toContain('Mine')
    hers.press('escape')
    await hers.hides(/Your comment\?/)
    hers.press(':', 'drafts', 'enter')
    await hers.shows(/0 not sent/)
    const mine = await open()
    mine.press('c')
    await mine.shows(/> Mine/)
    mine.press('enter')
    await mine.shows(/said/)
    await expect.poll(() => draftFiles(staff)).toEqual([])
  })

  it('is not deleted for new ones: at the maximum the user is told to discard some', async () => {
    const { staff, open } = await withText()
    await using _ = staff
    const terminal = await open()
    terminal.press('r')
    await terminal.shows(/rejected/)
    terminal.press('Off brand', 'escape')
    await terminal.shows(/Your draft is kept/)
    const [file = ''] = draftFiles(staff)
    for (let n = 0; n < 199; n += 1) {
      const folder = join(file, '..', '..', `${String(n).padStart(26, '0')}-note`)
      mkdirSync(folder)
      writeFileSync(join(folder, 'note.md'), 'Earlier')
    }
    terminal.press('q')
    await terminal.shows(/queue: waiting/)
    terminal.press('enter')
    await terminal.shows(/You have a draft of a note/)
    terminal.press('e')
    await terminal.shows(/There are 200 drafts, which is the maximum\. Discard some first: :drafts/)
    terminal.press('r')
    await terminal.shows(/> Off brand/)
    terminal.press('enter')
    await terminal.shows(/rejected: /)
    terminal.press(':', 'drafts', 'enter')
    await terminal.shows(/drafts {2}199 not sent/)
  })
})
