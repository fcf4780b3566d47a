import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { password, type Team } from '../kit/app.ts'
import { createStaff, type Staff, superAdminOf } from './staff.ts'

/** Nothing of a server in the environment. */
const bare = (staff: Staff) => ({ env: { TMPDIR: join(staff.home, 'tmp') } })
const admin = 'admin.1.tenant-1@test.example'
const member = 'member.1.tenant-1@test.example'

/** Logs someone of a tenant in, as the profile in use. */
async function logIn(staff: Staff, email: string, ...more: string[]) {
  const args = ['login', staff.harness.url, '--email', email, '--password-stdin', ...more]
  return staff.run(args, { ...bare(staff), input: `${password}\n` })
}

async function as(staff: Staff, email: string) {
  expect(await logIn(staff, email)).toMatchObject({ code: 0 })
  return {
    run: (...args: string[]) => staff.run(args, bare(staff)),
    json: <T>(...args: string[]) => staff.json<T>(args, bare(staff)),
  }
}

function brief(staff: Staff): string[] {
  writeFileSync(join(staff.home, 'spring.md'), '# Spring\n\nOats.\n')
  return ['campaign', 'create', '--brief', 'spring.md', '--deliverable', 'social_post=1']
}

describe('an admin of a tenant', () => {
  it('logs in to the dashboard without naming it, and staff as before', async () => {
    await using staff = await createStaff()
    const { stdout, stderr } = await logIn(staff, admin, '--json')
    expect(stderr).toContain('Logged in')
    expect(JSON.parse(stdout)).toMatchObject({
      user: { email: admin, role: 'admin' },
      tenants: [{ id: staff.harness.team.tenantId, name: 'Tenant 1' }],
    })
    expect((await logIn(staff, 'reviewer.1.tenant-1@test.example', '--json')).stdout).toContain('"reviewer"')
    const { email } = await superAdminOf(staff.harness)
    expect((await logIn(staff, email, '--json')).stdout).toContain('"super_admin"')
    for (const more of [
      ['--app', 'dm-portal'],
      ['--tenant', '01J9ZX6T4QH8C3V5N7M2K0B1AD'],
    ])
      expect(await logIn(staff, admin, ...more)).toMatchObject({ code: 4, stdout: '' })
    const sessions = 'select count(*) as n from sessions where user_id = ?'
    expect(await staff.harness.count(sessions, staff.harness.team.adminId)).toBe(2)
  })

  it('creates a campaign at the server, watches it, and decides on its approvals', async () => {
    await using staff = await createStaff()
    const ada = await as(staff, admin)
    const made = await ada.json<{ id: string }>(...brief(staff))
    expect(made).toEqual({ id: expect.any(String), name: 'Spring', status: 'draft' })
    const agent = await staff.harness.next()
    await agent.deliver('Oats at **dawn**.')
    const listed = await ada.run('campaign', 'list')
    expect(listed.stdout).toContain(made.id)
    expect(await ada.json('campaign', 'show', made.id)).toMatchObject({ name: 'Spring', pendingApprovals: 1 })
    const { pending } = await ada.json<{ pending: Array<{ id: string; tenantName: string }> }>('queue')
    const [asked] = pending
    expect(asked?.tenantName).toBe('Tenant 1')
    const shown = await ada.run('show', asked?.id ?? '')
    expect(shown.stdout).toContain('Oats at dawn.')
    expect(shown.stdout).toContain('Spring')
    expect((await ada.run('status')).stdout).toMatch(/Tenant 1\t1/)
    expect(await ada.json('feed')).toMatchObject({ data: [{ kind: 'approval', tenantName: 'Tenant 1' }] })
    for (const line of [['agents'], ['cost', '--by', 'agent'], ['campaign', 'list', '--status', 'active']])
      expect(await ada.run(...line)).toMatchObject({ code: 0 })
    const sent = await ada.run('revise', asked?.id ?? '', '--note', 'Name the price', '--yes')
    expect(sent).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('revision requested, 1 agent woken'),
    })
    await (await staff.harness.next()).deliver('Oats at dawn, 2 pounds.')
    const again = (
      await ada.json<typeof pending extends never ? never : { pending: Array<{ id: string }> }>('queue')
    ).pending[0]
    expect(await ada.run('approve', again?.id ?? '', '--yes')).toMatchObject({ code: 0 })
    expect(await ada.json('queue')).toMatchObject({ counts: { pending: 0 } })
  })

  it('gets one sentence for a command of staff', async () => {
    await using staff = await createStaff()
    const ada = await as(staff, admin)
    for (const line of [
      ['tenants'],
      ['queues'],
      ['ask', 'what', 'waits'],
      ['impersonate', 'x'],
      ['consent', 'list'],
    ]) {
      const refused = await ada.run(...line)
      expect({ line, ...refused }).toMatchObject({ line, code: 4, stdout: '' })
      expect(refused.stderr).toContain('for reviewers and super-admins')
      expect(refused.stderr.trim().split('\n')).toHaveLength(1)
    }
    expect(await ada.run('api', 'GET', '/campaigns')).toMatchObject({ code: 0 })
  })
})

describe('a member of a tenant', () => {
  it('reads everything, and neither creates campaigns nor decides', async () => {
    await using staff = await createStaff()
    const { approvalId, activityId } = await staff.waiting()
    const mia = await as(staff, member)
    expect(await mia.json('queue')).toMatchObject({ pending: [{ id: approvalId }] })
    expect((await mia.run('show', activityId)).stdout).toContain('Rye at night.')
    expect(await mia.run('comment', activityId, 'Please name the price')).toMatchObject({ code: 0 })
    for (const line of [
      brief(staff),
      ['approve', approvalId, '--yes'],
      ['reject', approvalId, '--note', 'No', '--yes'],
    ]) {
      const refused = await mia.run(...line)
      expect({ line, ...refused }).toMatchObject({ line, code: 4, stdout: '' })
      expect(refused.stderr).toContain('is for admins of Tenant 1; you are a member there')
    }
    expect(await mia.json('campaign', 'list')).toMatchObject({ data: [{ name: 'Spring' }] })
  })
})

describe('users of a tenant', () => {
  it('never see another tenant', async () => {
    await using staff = await createStaff()
    const { approvalId, activityId } = await staff.waiting()
    const { data } = await staff.harness.team.admin.call('dashboard', 'GET /campaigns', {})
    const other: Team = await staff.harness.app.team('Anvil')
    const eve = await as(staff, `admin.1.anvil@test.example`)
    expect(await eve.json('queue')).toMatchObject({
      counts: { pending: 0, running: 0, blocked: 0, failed: 0 },
    })
    expect(await eve.json('campaign', 'list')).toMatchObject({ data: [] })
    expect(await eve.json('feed')).toMatchObject({ data: [] })
    const lines = [
      ['show', approvalId],
      ['show', activityId],
      ['tail', activityId],
      ['approve', approvalId, '--yes'],
      ['comment', activityId, 'Hello'],
      ['campaign', 'show', data[0]?.id ?? ''],
    ]
    for (const line of lines)
      expect({ line, ...(await eve.run(...line)) }).toMatchObject({ line, code: 1, stdout: '' })
    for (const line of [
      ['queue', '--tenant', staff.harness.team.tenantId],
      ['campaign', 'list', '--tenant', 'Tenant 1'],
    ]) {
      const named = await eve.run(...line)
      expect(named).toMatchObject({ code: 2, stdout: '' })
      expect(named.stderr).toContain('logged in for Anvil and for no other tenant')
    }
    expect(await eve.run('queue', '--tenant', other.tenantId)).toMatchObject({ code: 0 })
  })

  it('follow events, and the text of an activity', async () => {
    await using staff = await createStaff()
    const { activityId, approvalId } = await staff.waiting('Rye at night.')
    await as(staff, member)
    const events = await staff.begin(['tail'], bare(staff))
    const handedIn = await staff.run(['tail', activityId], bare(staff))
    expect(handedIn).toMatchObject({ code: 0, stdout: expect.stringContaining('Rye at night.') })
    expect(handedIn.stdout).toContain('awaiting_approval, 3 words')
    const agent = await staff.harness.order()
    const { id } = await staff.harness.activityOf(agent.runId)
    const text = await staff.begin(['tail', id, '--json'], bare(staff))
    await text.says('activity_meta')
    for (const [sequenceNum, delta] of ['Oats ', 'at '].entries())
      await agent.call('POST /runs/:runId/stream', { delta, sequenceNum } as never)
    await text.says('at ')
    await agent.deliver('Oats at dawn.')
    expect(await text.ended).toMatchObject({ code: 0 })
    const told = text
      .said()
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { data: { delta?: string } })
    expect(told.map(({ data }) => data.delta ?? '').join('')).toBe('Oats at dawn.')
    await staff.harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId },
      body: { resolution: 'approved' },
    })
    await events.says('approval resolved')
    events.child.kill('SIGTERM')
    await events.ended
  })
})

describe('staff', () => {
  it('are told who can create campaigns, and how', async () => {
    await using staff = await createStaff()
    const refused = await staff.run(brief(staff))
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toContain('an admin of a tenant')
    expect(refused.stderr).toContain('on the machine of the server')
  })
})
