import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createStaff } from './staff.ts'

const first = '# Spring oats\n\nMorning Oats are **rolled** and cheap. Find your nearest shop.'
const second = '# Spring oats\n\nMorning Oats are **rolled** and honest. Find your nearest shop.'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('a review at the terminal', () => {
  it('requests a revision with a note, shows the changes word by word, and approves with a key', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    const agent = await harness.order()
    await agent.deliver(first)
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/Morning Oats are rolled and cheap/)
    await terminal.shows(/version 1 by/)
    await terminal.shows(/expires in \d+/)
    terminal.press('i')
    await terminal.shows(/Write the piece in full/)
    terminal.press('i', 'b')
    await terminal.shows(/What should be different/)
    terminal.press('Not cheap, but honest', 'enter')
    await terminal.shows(/revision requested: .*Nothing else is pending/)
    const again = await harness.next()
    expect(again.dispatch.prompt).toContain('Not cheap, but honest')
    await again.deliver(second)
    terminal.press('escape')
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/rolled and honest/)
    terminal.press('d')
    await terminal.shows(/rolled\*\* and cheaphonest\. Find/)
    terminal.press('a')
    await terminal.shows(/Approve “.*” for Tenant 1, version 2\?/)
    terminal.press('y')
    await terminal.shows(/approved: .*Nothing else is pending/)
    const verdicts = await harness.app.db.sql.all(
      'select resolution, content_hash from approvals order by id',
    )
    expect(verdicts).toEqual([
      { resolution: 'revision_requested', content_hash: sha256(first) },
      { resolution: 'approved', content_hash: sha256(second) },
    ])
  })

  it('approves an edited text, after the changes were shown', async () => {
    await using staff = await createStaff()
    const { harness, folder } = staff
    const agent = await harness.order()
    await agent.deliver(first)
    const editor = join(folder, 'editor.sh')
    writeFileSync(editor, '#!/bin/sh\nsed -i s/cheap/honest/ "$1"\n', { mode: 0o755 })
    const terminal = await staff.sit({ env: { EDITOR: editor, NO_COLOR: '1' } })
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/rolled and cheap/)
    terminal.press('e')
    await terminal.shows(/Approve “.*” for Tenant 1 with these changes\?/)
    await terminal.shows(/\[-cheap-\]\{\+honest\+\}/)
    terminal.press('n')
    await terminal.shows(/rolled and cheap/)
    expect(await harness.count(`select count(*) as n from approvals where status = 'pending'`)).toBe(1)
    terminal.press('e')
    await terminal.shows(/with these changes\?/)
    terminal.press('y')
    await terminal.shows(/edited and approved: .*Nothing else is pending/)
    const [approval] = await harness.app.db.sql.all('select resolution, edited, content_hash from approvals')
    expect(approval).toMatchObject({ resolution: 'approved', content_hash: sha256(second) })
    terminal.press('z')
    await terminal.shows(/“approve .*” cannot be undone/)
  })

  it('claims the open approval, shows the claim of others, and reports the verdict of another user', async () => {
    await using staff = await createStaff()
    const { harness, other } = staff
    const agent = await harness.order()
    await agent.deliver(first)
    const [approval] = await harness.app.db.sql.all<{ id: string }>('select id from approvals')
    const params = { id: approval?.id ?? '' }
    const claimedBy = async () => (await other.call('cli', 'GET /approvals/:id', { params })).claimedBy?.name
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/rolled and cheap/)
    await expect.poll(claimedBy).toBe('Rita Reviewer')
    terminal.press('q')
    await expect.poll(claimedBy).toBe(undefined)
    await other.call('cli', 'POST /approvals/:id/claim', { params })
    terminal.press('enter')
    await terminal.shows(/Otto Other has claimed this/)
    terminal.press('a')
    await terminal.shows(/Approve “/)
    await other.call('cli', 'POST /approvals/:id/resolve', {
      params,
      body: { resolution: 'rejected', note: 'Off brand' },
    })
    terminal.press('y')
    await terminal.shows(/This approval is already rejected/)
    await terminal.shows(/Decided: rejected by Otto Other: Off brand/)
    terminal.press('a')
    await terminal.shows(/already/)
    expect(await harness.count(`select count(*) as n from approvals where resolution = 'rejected'`)).toBe(1)
  })

  it('approves nothing that was not shown: a changed text is shown instead', async () => {
    await using staff = await createStaff()
    const { harness, other } = staff
    const agent = await harness.order()
    await agent.deliver(first)
    const [asked] = await harness.app.db.sql.all<{ id: string }>('select id from approvals')
    await other.call('cli', 'POST /approvals/:id/resolve', {
      params: { id: asked?.id ?? '' },
      body: { resolution: 'rejected', note: 'Warmer' },
    })
    const again = await harness.next()
    await again.call('POST /runs/:runId/actions/request-review', {
      title: 'Like this?',
      description: 'The tone',
    })
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/rolled and cheap/)
    terminal.press('a')
    await terminal.shows(/Approve “Like this\?” for Tenant 1, version 1\?/)
    await again.deliver(second)
    terminal.press('y')
    await terminal.shows(/The text has changed since you saw it, so nothing was decided/)
    await terminal.shows(/rolled and honest/)
    await terminal.shows(/version 2 by/)
    expect(await harness.count(`select count(*) as n from approvals where resolution = 'approved'`)).toBe(0)
    terminal.press('a')
    await terminal.shows(/version 2\?/)
    terminal.press('y')
    await terminal.shows(/approved: Like this\?/)
    const [last] = await harness.app.db.sql.all(
      'select resolution, content_hash from approvals order by id desc',
    )
    expect(last).toEqual({ resolution: 'approved', content_hash: sha256(second) })
  })

  it('shows hostile text as text, and wide letters aligned', async () => {
    await using staff = await createStaff()
    const { harness, other } = staff
    const agent = await harness.order()
    const hostile =
      'Oats \u001b]0;owned\u0007\u001b[2J\u001b[31mred \u202egnp.exe\r\n\u009b5n 面包和燕麦 🌾🥖'
    await agent.deliver(`# ${hostile}\n\n${hostile}\n\nThe end.`)
    const { id } = await harness.activityOf(agent.runId)
    await harness.app.db.write((tx) => tx.run('update approvals set title = ?', [hostile]))
    await harness.app.db.write((tx) => tx.run('update activities set title = ?', [hostile]))
    await other.call('cli', 'POST /activities/:id/comments', { params: { id }, body: { text: hostile } })
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/The end\./)
    await terminal.shows(/面包和燕麦 🌾🥖/)
    await terminal.shows(/Oats ␛\]0;owned␇␛\[2J/)
    terminal.press('a')
    await terminal.shows(/Approve “Oats ␛/)
    terminal.press('n', 'tab', 'tab', 'tab')
    await terminal.shows(/\[comments 1\]/)
    await terminal.shows(/Otto Other/)
    terminal.press('o')
    await terminal.shows(/\[output\]/)
    const written = terminal.written()
    for (const sequence of ['\u001b]0;', '\u001b[31mred', '\u202e', '\u009b', '\u0007'])
      expect(written).not.toContain(sequence)
    for (const line of terminal.lines()) expect(line.length).toBeLessThanOrEqual(80)
  })
})
