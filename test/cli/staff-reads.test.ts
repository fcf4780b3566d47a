import { describe, expect, it } from 'vitest'
import { keepComments } from '../kit/comments.ts'
import { createStaff, keyOf, type Staff, superAdminOf } from './staff.ts'

const escape = '\u001b'
/** A title that would clear the screen, name the window, and turn the direction of writing. */
const hostile = `${escape}[2J${escape}]0;owned\u0007Oats\r\n\u202eevil`

async function everything(staff: Staff): Promise<{ approvalId: string; activityId: string }> {
  const found = await staff.waiting()
  await staff.harness.app.db.write((tx) =>
    tx.run('update approvals set title = ? where id = ?', [hostile, found.approvalId]),
  )
  return found
}

describe('commands that read', () => {
  it('print tables for people and the reply for programs, without control characters', async () => {
    await using staff = await createStaff()
    const { approvalId, activityId } = await everything(staff)
    const { tenantId } = staff.harness.team
    const reads: ReadonlyArray<[args: string[], json: unknown]> = [
      [['status'], { tenants: [{ tenantId, pendingApprovals: 1 }], totals: { pendingApprovals: 1 } }],
      [['status', '--tenant', tenantId], { tenants: [{ tenantId }] }],
      [['queue'], { pending: [{ id: approvalId, title: hostile }], counts: { pending: 1 } }],
      [['queue', '--status', 'failed'], { pending: [], failed: [] }],
      [['feed'], { data: [{ kind: 'approval', subject: { id: approvalId } }] }],
      [
        ['show', approvalId],
        [{ approval: { id: approvalId }, activity: { id: activityId }, text: { version: 1 }, diff: null }],
      ],
      [
        ['show', activityId],
        [{ approval: null, activity: { id: activityId }, text: { text: 'Rye at **night**.' } }],
      ],
      [
        ['log', activityId],
        { data: expect.arrayContaining([expect.objectContaining({ kind: expect.any(String) })]) },
      ],
      [['tenants', '--search', 'tenant'], { data: [{ id: tenantId }] }],
      [['agents', '--role', 'social_writer'], { data: [{ role: 'social_writer', tenantId }] }],
      [['queues'], { data: expect.any(Array) }],
      [['cost', '--by', 'agent'], { totalUsd: expect.any(Number), dailySeries: expect.any(Array) }],
    ]
    for (const [args, expected] of reads) {
      expect(await staff.json(args), args.join(' ')).toMatchObject(expected as object)
      const { code, stdout, stderr } = await staff.run(args)
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' })
      expect(stdout, args.join(' ')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/u)
      expect(stdout.trim(), args.join(' ')).not.toBe('')
    }
    const { stdout } = await staff.run(['queue'])
    expect(stdout).toContain('␛[2J')
    expect((await staff.run(['show', approvalId])).stdout).toMatch(/Rye at night\.\n/)
  })

  it('repeat with --watch, one JSON document a line, until Ctrl-C', async () => {
    await using staff = await createStaff()
    const watching = await staff.begin(['queue', '--watch', '0.1', '--json'])
    await watching.says('"pending":[]')
    const { approvalId } = await staff.waiting()
    await watching.says(approvalId)
    watching.child.kill('SIGINT')
    const { code, stdout, stderr } = await watching.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const documents = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { counts: object })
    expect(documents[0]).toMatchObject({ counts: { pending: 0 } })
    expect(documents.at(-1)).toMatchObject({ counts: { pending: 1 } })
  })

  it('exit with 1 for unknown ids, 2 for invalid input, 4 for missing permissions', async () => {
    await using staff = await createStaff()
    const nothing = '01J9ZX6T4QH8C3V5N7M2K0B1AD'
    const admin = await keyOf(staff.harness, staff.harness.team.adminId)
    const asAdmin = { env: { ...staff.env, COPYDESK_API_KEY: admin.key } }
    const wrong = { env: { ...staff.env, COPYDESK_API_KEY: 'cdk_test_nokey' } }
    const cases: ReadonlyArray<[args: string[], code: number, says: RegExp, options?: object]> = [
      [['show', nothing], 1, /There is no /],
      [['log', nothing], 1, /There is no /],
      [['queue', '--status', 'open'], 2, /Allowed choices are/],
      [['queue', '--limit', '500'], 2, /--limit must be a whole number from 1 to 200/],
      [['queue', '--cursor', '%'], 2, /^error: --cursor: /],
      [['cost', '--from', 'soon'], 2, /^error: --from must be a day/],
      [['show'], 2, /missing required argument 'ids'/],
      [['bulk', 'approve', '--dry-run'], 2, /Give --ids, or a filter/],
      [['bulk', 'reject', '--risk', 'low', '--dry-run'], 2, /needs --note/],
      [['queue', '--tenant', nothing], 4, /^error: /],
      [['impersonate', staff.harness.team.tenantId], 4, /^error: /],
      [['queue'], 4, /^error: /, asAdmin],
      [['queue'], 4, /^error: /, wrong],
    ]
    for (const [args, code, says, options] of cases) {
      const ended = await staff.run(args, options)
      expect({ args, code: ended.code, stdout: ended.stdout }).toEqual({ args, code, stdout: '' })
      expect(ended.stderr, args.join(' ')).toMatch(says)
      expect(ended.stderr).not.toMatch(/^\s+at /m)
    }
  })

  it('report an unreachable server, and exit with 1', async () => {
    await using staff = await createStaff()
    const env = { ...staff.env, COPYDESK_URL: 'http://127.0.0.1:9' }
    for (const args of [['status'], ['tail'], ['api', 'GET', '/queue']]) {
      const { code, stdout, stderr } = await staff.run(args, { env })
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^error: http:\/\/127\.0\.0\.1:9 cannot be reached: .*\n$/),
      })
    }
  })

  it('give a super-admin read-only access to the dashboard', async () => {
    await using staff = await createStaff()
    const { key } = await keyOf(staff.harness, (await superAdminOf(staff.harness)).id)
    const env = { ...staff.env, COPYDESK_API_KEY: key }
    const granted = await staff.json<object>(['impersonate', staff.harness.team.tenantId], { env })
    expect(granted).toMatchObject({
      impersonationToken: expect.any(String),
      dashboardUrl: expect.any(String),
    })
  })
})

describe('copydesk show', () => {
  it('shows all comments, also those on later pages', async () => {
    await using staff = await createStaff()
    const { activityId } = await staff.waiting()
    const { app, team } = staff.harness
    const texts = await keepComments(app, { activityId, tenantId: team.tenantId, total: 230 })
    const [piece] = await staff.json<Array<{ activity: { comments: Array<{ text: string }> } }>>([
      'show',
      activityId,
    ])
    expect(piece?.activity.comments.map(({ text }) => text)).toEqual(texts)
    await keepComments(app, { activityId, tenantId: team.tenantId, total: 900 })
    const { stdout } = await staff.run(['show', activityId])
    expect(stdout).toContain('130 earlier comments omitted')
  })
})

describe('copydesk api', () => {
  it('sends any request and prints the response', async () => {
    await using staff = await createStaff()
    const { activityId } = await staff.waiting()
    const list = await staff.run(['api', 'get', '/queue', '--query', 'limit=1', '--query', 'status=all'])
    expect(JSON.parse(list.stdout)).toMatchObject({ counts: { pending: 1 } })
    const said = await staff.run(
      ['api', 'POST', `/cli/v1/activities/${activityId}/comments`, '--body', '-'],
      {
        input: '{"text":"Nearly there"}',
      },
    )
    expect(JSON.parse(said.stdout)).toMatchObject({ text: 'Nearly there' })
    const cases: ReadonlyArray<[args: string[], code: number]> = [
      [['api', 'POST', '/impersonate', '--body', '{}'], 4],
      [['api', 'GET', '/queue', '--query', 'limit=0'], 2],
      [['api', 'GET', '/../../admin/v1/tenants'], 2],
      [['api', 'GET', '/nothing'], 1],
      [['api', 'TRACE', '/queue'], 2],
      [['api', 'POST', '/nl', '--body', '{'], 2],
    ]
    for (const [args, code] of cases) {
      const ended = await staff.run(args)
      expect({ args, code: ended.code, stdout: ended.stdout }).toEqual({ args, code, stdout: '' })
      expect(ended.stderr).toMatch(/^error: /)
    }
  })
})
