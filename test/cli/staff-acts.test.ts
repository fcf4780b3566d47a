import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createStaff, type Staff } from './staff.ts'

const pendingIn = async (staff: Staff) =>
  (await staff.json<{ pending: Array<{ id: string }> }>(['queue', '--status', 'pending'])).pending.map(
    ({ id }) => id,
  )

describe('commands with decisions', () => {
  it('ask for confirmation, and without a terminal do nothing unless --yes is given', async () => {
    await using staff = await createStaff()
    const { approvalId, activityId } = await staff.waiting()
    const before = await staff.harness.state()
    const acts = [
      ['approve', approvalId],
      ['approve', '-'],
      ['reject', approvalId, '--note', 'No'],
      ['revise', approvalId, '--note', 'No'],
      ['bulk', 'approve', '--ids', approvalId],
      ['escalate', approvalId, '--risk', 'high', '--reason', 'No'],
      ['forward', approvalId],
      ['cancel', activityId, '--reason', 'No'],
      ['retry', activityId],
      ['run', 'social_writer', 'Write', '--tenant', staff.harness.team.tenantId],
    ]
    for (const args of acts) {
      const { code, stdout, stderr } = await staff.run(args, { input: `${approvalId}\n` })
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' })
      expect(stderr).toMatch(/Add --yes/)
    }
    expect(await staff.harness.state()).toEqual(before)
  })

  it('approve the ids from stdin, one a line, and exit with 1 when some failed', async () => {
    await using staff = await createStaff()
    const first = await staff.waiting('One')
    const second = await staff.waiting('Two')
    const input = `${first.approvalId}\n\n  01J9ZX6T4QH8C3V5N7M2K0B1AD\r\n${second.approvalId}`
    const { code, stdout, stderr } = await staff.run(['approve', '-', '--yes', '--json'], { input })
    expect(code).toBe(1)
    expect(stderr).toBe('error: 1 failed.\n')
    expect(JSON.parse(stdout)).toEqual([
      { approvalId: first.approvalId, done: true, woken: expect.any(Number) },
      {
        approvalId: '01J9ZX6T4QH8C3V5N7M2K0B1AD',
        done: false,
        woken: 0,
        error: 'There is no approval with this id',
      },
      { approvalId: second.approvalId, done: true, woken: expect.any(Number) },
    ])
    expect(await pendingIn(staff)).toEqual([])
    const none = await staff.run(['approve', '-', '--yes', '--json'], { input: '\n' })
    expect(none).toMatchObject({
      code: 0,
      stdout: '[]\n',
      stderr: 'There are no ids on stdin: nothing was done.\n',
    })
  })

  it('approve the edited text, bound to the version that was opened', async () => {
    await using staff = await createStaff()
    const { approvalId, activityId } = await staff.waiting('Rye at night.')
    const failing = await staff.waiting('Another')
    const editor = join(staff.home, 'my editor')
    writeFileSync(editor, '#!/bin/sh\nprintf " And oats." >> "$2"\necho noise\n')
    chmodSync(editor, 0o700)
    const env = { ...staff.env, EDITOR: `"${editor}" --wait` }
    const [given] = await staff.json<unknown[]>(['approve', approvalId, '--edit', '--yes'], { env })
    expect(given).toMatchObject({ approvalId, done: true })
    const [piece] = await staff.json<unknown[]>(['show', approvalId])
    expect(piece).toMatchObject({
      approval: { status: 'approved', edited: true },
      activity: { id: activityId },
      text: { version: 2, text: 'Rye at night. And oats.', approved: true },
      diff: { from: 1, to: 2 },
    })
    expect((await staff.run(['show', approvalId])).stdout).toContain('{+')
    const refused = await staff.run(['approve', failing.approvalId, '--edit', '--yes'], {
      env: { ...staff.env, EDITOR: 'false' },
    })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(await pendingIn(staff)).toEqual([failing.approvalId])
  })

  it('keep an unsent edited text, and continue it until it is discarded', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting('Rye at night.')
    const editor = join(staff.home, 'editor')
    const does = (script: string) => writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o700 })
    const edit = (...more: string[]) =>
      staff.run(['approve', approvalId, '--edit', '--yes', ...more], {
        env: { ...staff.env, EDITOR: editor },
      })
    does('printf " Half a" >> "$1"; exit 3')
    expect(await edit()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ended with 3: nothing was approved\. The saved text is kept/),
    })
    does('printf " loaf" >> "$1"')
    const refused = await edit('--hash', '0'.repeat(64))
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Your draft is kept') })
    const drafts = join(staff.home, '.config', 'copydesk', 'drafts')
    const files = readdirSync(drafts, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    )
    const kept =
      files.map(({ parentPath, name }) => join(parentPath, name)).find((file) => file.endsWith('.md')) ?? ''
    expect(readFileSync(kept, 'utf8')).toBe('Rye at night. Half a loaf')
    expect(statSync(kept).mode & 0o777).toBe(0o600)
    expect(statSync(join(kept, '..')).mode & 0o777).toBe(0o700)
    expect((await staff.run(['approve', approvalId, '--fresh', '--yes'])).code).toBe(2)
    does('printf " And oats." >> "$1"')
    expect(await edit()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('You continue your draft'),
    })
    const [piece] = await staff.json<Array<{ text: { text: string } }>>(['show', approvalId])
    expect(piece?.text.text).toBe('Rye at night. Half a loaf And oats.')
    expect(existsSync(kept)).toBe(false)
  })

  it('do not continue the draft of an older version without showing both', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting('Rye at night.')
    const editor = join(staff.home, 'editor')
    const env = { ...staff.env, EDITOR: editor }
    writeFileSync(editor, '#!/bin/sh\nprintf " By hand" >> "$1"; exit 3\n', { mode: 0o700 })
    expect((await staff.run(['approve', approvalId, '--edit', '--yes'], { env })).code).toBe(1)
    await staff.run(['revise', approvalId, '--note', 'Shorter', '--yes'])
    await (await staff.harness.next()).deliver('Rye.')
    const [next = ''] = await pendingIn(staff)
    writeFileSync(editor, '#!/bin/sh\nprintf " Now." >> "$1"\n', { mode: 0o700 })
    const refused = await staff.run(['approve', next, '--edit', '--yes'], { env })
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/made from version 1, and the text is version 2/),
    })
    expect(await pendingIn(staff)).toEqual([next])
    expect((await staff.run(['approve', next, '--edit', '--fresh', '--yes'], { env })).code).toBe(0)
    const [piece] = await staff.json<Array<{ text: { text: string } }>>(['show', next])
    expect(piece?.text.text).toBe('Rye. Now.')
  })

  it('reject for another version, or with --end for good', async () => {
    await using staff = await createStaff()
    const [tried, ended] = [await staff.waiting('Rye at night.'), await staff.waiting('Another')]
    const reject = (id: string, ...more: string[]) =>
      staff.json<unknown[]>(['reject', id, '--note', 'Off brand', '--yes', ...more])
    expect(await reject(tried.approvalId)).toEqual([{ approvalId: tried.approvalId, done: true, woken: 1 }])
    expect(await reject(ended.approvalId, '--end')).toEqual([
      { approvalId: ended.approvalId, done: true, woken: 0, ended: [ended.activityId] },
    ])
    const retried = await staff.run(['retry', ended.activityId, '--yes'])
    expect(retried.code).toBe(1)
    expect((await staff.run(['approve', tried.approvalId, '--end', '--yes'])).code).toBe(2)
  })

  it('do not approve another text than the one with the hash', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting()
    const { code, stderr } = await staff.run(['approve', approvalId, '--hash', '0'.repeat(64), '--yes'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^error: /) })
    expect(await pendingIn(staff)).toEqual([approvalId])
  })

  it('decide on many at once, and show them before', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting()
    const before = await staff.harness.state()
    const tried = await staff.json(['bulk', 'reject', '--risk', 'low', '--note', 'Too late', '--dry-run'])
    expect(tried).toMatchObject({ dryRun: true, matched: 1, resolved: 0, items: [{ approvalId }] })
    expect(await staff.harness.state()).toEqual(before)
    const done = await staff.json(['bulk', 'reject', '--risk', 'low', '--note', 'Too late', '--yes'])
    expect(done).toMatchObject({ dryRun: false, matched: 1, resolved: 1 })
    expect(await pendingIn(staff)).toEqual([])
  })

  it('request a revision, raise the risk, and ask the client', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting()
    const escalate = ['escalate', approvalId, '--risk', 'high', '--reason', 'Names a rival', '--yes']
    expect(await staff.json(escalate)).toMatchObject({ approvalId, riskLevel: 'high' })
    const forwarded = await staff.json(['forward', approvalId, '--note', 'Is it right?', '--urgent', '--yes'])
    expect(forwarded).toMatchObject({ forwardedApprovalId: expect.any(String) })
    const other = await staff.waiting('Two')
    const revised = await staff.json(['revise', other.approvalId, '--note', 'Shorter', '--yes'])
    expect(revised).toMatchObject([{ approvalId: other.approvalId, done: true }])
  })
})

describe('commands for steering', () => {
  it('pause and resume activities and agents', async () => {
    await using staff = await createStaff()
    const { activityId } = await staff.waiting()
    const { tenantId } = staff.harness.team
    const paused = await staff.json(['pause', 'social_writer', '--tenant', tenantId, '--reason', 'Off brand'])
    expect(paused).toMatchObject({ role: 'social_writer', status: 'paused' })
    expect(await staff.json(['agents', '--status', 'paused'])).toMatchObject({
      data: [{ role: 'social_writer' }],
    })
    const begun = await staff.json<{ activityId: string }>([
      'run',
      'social_writer',
      'Write a line',
      '--tenant',
      tenantId,
      '--yes',
    ])
    expect(await staff.json(['resume', 'social_writer', '--tenant', tenantId])).toMatchObject({
      status: expect.stringMatching(/active|running/),
    })
    await staff.harness.next()
    expect(await staff.json(['pause', begun.activityId])).toMatchObject({ status: 'pausing' })
    expect(await staff.json(['resume', begun.activityId])).toMatchObject({ activityId: begun.activityId })
    expect(await staff.json(['cancel', begun.activityId, '--reason', 'It has ended', '--yes'])).toMatchObject(
      { status: 'failed' },
    )
    expect(await staff.json(['comment', activityId, 'Nearly there'])).toMatchObject({ text: 'Nearly there' })
  })

  it('claim and release, snooze and dismiss', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting()
    expect(await staff.json(['claim', approvalId])).toMatchObject({ claimedBy: { name: 'Rita Reviewer' } })
    expect(await staff.json(['release', approvalId])).toEqual({ approvalId, claimedBy: null })
    const { data } = await staff.json<{ data: Array<{ id: string }> }>(['feed'])
    const id = data[0]?.id ?? ''
    expect(await staff.json(['snooze', id, '--until', '2h'])).toMatchObject({
      itemId: id,
      hiddenUntil: expect.any(String),
    })
    expect(await staff.json(['feed'])).toMatchObject({ data: [] })
    expect(await staff.json(['dismiss', id])).toMatchObject({ itemId: id })
    for (const when of ['later', '3000-01-01', '0000-01-01', '999999d', '1969-12-31T00:00:00Z']) {
      const vague = await staff.run(['snooze', id, '--until', when])
      expect(vague, when).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--until must be an instant'),
      })
    }
  })
})
