import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createStaff, type Staff } from './staff.ts'

const first = '# Oats\n\nMorning Oats are rolled and cheap. Find your nearest shop.'
const second = first.replace('cheap', 'honest')

/** A staff with a text that waits, and an editor that adds a line to what it is given. */
async function withText(options: Parameters<typeof createStaff>[0] = {}) {
  const staff = await createStaff(options)
  await (await staff.harness.order()).deliver(first)
  const editor = join(staff.folder, 'editor.sh')
  writeFileSync(editor, '#!/bin/sh\nprintf "\\nAdded by hand." >> "$1"\n', { mode: 0o755 })
  const open = async (env: Record<string, string> = {}) => {
    const terminal = await staff.sit({ env: { EDITOR: editor, ...env } })
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/rolled and/)
    return terminal
  }
  return { staff, open }
}

/** All files below the drafts of everybody. */
function draftFiles({ folder }: Staff): string[] {
  const drafts = join(folder, '.config', 'copydesk', 'drafts')
  try {
    return readdirSync(drafts, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? join(entry.parentPath, entry.name) : [],
    )
  } catch {
    return []
  }
}

const approvals = ({ harness }: Staff) =>
  harness.app.db.sql.all('select status, resolution, resolution_note from approvals order by id')

/** Decides elsewhere on what waits. */
async function decideElsewhere(
  { harness, other }: Staff,
  body: { resolution: 'rejected' | 'revision_requested' },
) {
  const [asked] = await harness.app.db.sql.all<{ id: string }>(
    `select id from approvals where status = 'pending'`,
  )
  const params = { id: asked?.id ?? '' }
  await other.call('cli', 'POST /approvals/:id/resolve', { params, body: { ...body, note: 'Off brand' } })
}

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
    expect(draftFiles(staff)).toEqual([])
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
