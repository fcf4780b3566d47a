import { describe, expect, it } from 'vitest'
import { cli, setUpIn, temporaryFolder } from './process.ts'
import { createStaff, type Staff, watchStreams } from './staff.ts'

async function picked(staff: Staff, args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await staff.run(args)
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' })
  return JSON.parse(stdout) as unknown
}

describe('--json with fields', () => {
  it('picks fields of every row, in the given order, and keeps the shape of the reply', async () => {
    await using staff = await createStaff()
    const { approvalId, activityId } = await staff.waiting()
    const { tenantId } = staff.harness.team
    const rows = {
      pending: [{ title: expect.any(String), id: approvalId }],
      running: [],
      blocked: [],
      failed: [],
    }
    const cases: ReadonlyArray<[args: string[], expected: unknown]> = [
      [['queue', '--json=title,id'], rows],
      [['queue', '--json', 'title,id'], rows],
      [['--json=title,id', 'queue'], rows],
      [
        ['queue', '--json', 'counts.pending,pending.id'],
        { counts: { pending: 1 }, pending: [{ id: approvalId }] },
      ],
      [['tenants', '--json', 'id', '--limit', '5'], { data: [{ id: tenantId }] }],
      [
        ['show', approvalId, '--json', 'approval.id,activity.id,diff.from'],
        [{ approval: { id: approvalId }, activity: { id: activityId }, diff: null }],
      ],
      [['show', '--json=approval.status', approvalId], [{ approval: { status: 'pending' } }]],
      [['status', '--json', 'totals.pendingApprovals'], { totals: { pendingApprovals: 1 } }],
      [['api', 'GET', '/queue', '--json', 'counts.failed'], { counts: { failed: 0 } }],
      [
        ['queue', '--status', 'failed', '--json', 'title,id'],
        { pending: [], running: [], blocked: [], failed: [] },
      ],
    ]
    for (const [args, expected] of cases) expect(await picked(staff, args), args.join(' ')).toEqual(expected)
    const { stdout } = await staff.run(['queue', '--json=title,id'])
    expect(stdout.indexOf('"title"')).toBeLessThan(stdout.indexOf('"id"'))
  })

  it('does not take an argument of the command for a field', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting()
    expect(await picked(staff, ['show', '--json', approvalId])).toMatchObject([
      { approval: { id: approvalId } },
    ])
    expect(await picked(staff, ['--json', 'queue'])).toMatchObject({ counts: { pending: 1 } })
    expect(await picked(staff, ['--json', 'profile', 'list'])).toEqual([])
    expect(await picked(staff, ['profile', '--json', 'list'])).toEqual([])
    expect(await picked(staff, ['ask', '--json', 'what', 'waits'])).toHaveProperty('data')
    expect(await picked(staff, ['bulk', '--json', 'approve', '--risk', 'low', '--dry-run'])).toMatchObject({
      dryRun: true,
    })
    expect(
      await picked(staff, ['bulk', 'approve', '--risk', 'low', '--dry-run', '--json', 'matched']),
    ).toEqual({ matched: expect.any(Number) })
  })

  it('exits with 2 for an unknown field, and lists the known ones', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting()
    const cases: ReadonlyArray<[args: string[], says: RegExp]> = [
      [['queue', '--json=id,titel'], /no field titel\. .*\btitle\b/],
      [['queue', '--json=id,titel'], /\bcounts\b/],
      [['show', approvalId, '--json=approval.nope'], /no field approval\.nope\. .*\briskLevel\b/],
      [['show', approvalId, '--json=approval.id.x'], /no field approval\.id\.x/],
      [['queue', '--json=__proto__'], /no field __proto__/],
      [['queue', '--json=id,'], /--json/],
      [['queue', '--json=a b'], /--json/],
      [['queue', `--json=${'a,'.repeat(200)}a`], /--json/],
      [['queue', '--watch', '0.1', '--json=titel'], /no field titel/],
    ]
    for (const [args, says] of cases) {
      const { code, stdout, stderr } = await staff.run(args)
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' })
      expect(stderr).toMatch(/^error: /)
      expect(stderr).toMatch(says)
    }
  })

  it('reports that a command was executed whose reply lacks a field', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting()
    const ended = await staff.run(['claim', approvalId, '--json=nope'])
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toMatch(/was executed/)
    expect(await picked(staff, ['show', approvalId, '--json=approval.claimedBy.name'])).toEqual([
      { approval: { claimedBy: { name: expect.any(String) } } },
    ])
  })

  it('picks fields of every followed event, and of each watched document', async () => {
    const { streams, between } = watchStreams()
    await using staff = await createStaff({ between })
    const following = await staff.begin(['tail', '--json=event,data.approvalId'])
    await staff.harness.app.until(async () => streams[0]?.headersSent, 'the stream is open')
    const watching = await staff.begin(['queue', '--watch', '0.1', '--json', 'counts.pending'])
    await watching.says('{"counts":{"pending":0}}\n')
    const { approvalId } = await staff.waiting()
    await following.says(`{"event":"approval_created","data":{"approvalId":"${approvalId}"}}\n`)
    await watching.says('{"counts":{"pending":1}}\n')
    for (const { child, ended } of [following, watching]) {
      child.kill('SIGTERM')
      expect((await ended).stderr).toBe('')
    }
  })

  it('works for the commands on this machine', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    await cli(['tenant', 'create', '--name', 'Example Ltd'], { cwd })
    const found = await cli(['tenant', 'list', '--json', 'name,createdOn'], { cwd })
    expect(JSON.parse(found.stdout)).toEqual([
      { name: 'Example Ltd', createdOn: expect.stringMatching(/^\d{4}-.*Z$/) },
    ])
    const shown = await cli(['tenant', 'show', '--json', 'example ltd'], { cwd })
    expect(JSON.parse(shown.stdout)).toHaveProperty('usage')
    const wrong = await cli(['tenant', 'list', '--json=nane'], { cwd })
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toMatch(/no field nane\. .*\bname\b/)
    const kept = await cli(['jobs', 'retry', '--json', 'id'], { cwd })
    expect(kept.stderr).toContain('Give the ids to retry')
  })
})
