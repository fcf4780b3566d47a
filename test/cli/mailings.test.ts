import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newsletterText } from '../kit/mailings.ts'
import { loggedIn } from './kb-staff.ts'
import { createStaff, type Staff } from './staff.ts'

let staff: Staff
let login: { env: Record<string, string> }

beforeAll(async () => {
  staff = await createStaff()
  login = await loggedIn(staff, 'admin.1')
})

afterAll(() => staff[Symbol.asyncDispose]())

const run = (...args: string[]) => staff.run(args, login)

/** A newsletter that waits for its verdict. @returns its activity, and what says yes to it */
async function newsletter() {
  const { harness } = staff
  const { admin } = harness.team
  await (await harness.order('email_newsletter')).deliver('# Outline')
  const writer = await harness.next()
  await writer.deliver(newsletterText)
  const activityId = (await harness.activityOf(writer.runId)).id
  const approve = async () => {
    const { data } = await admin.call('dashboard', 'GET /approvals', {
      query: { 'filter.status': 'pending' },
    })
    const params = { approvalId: data[0]?.id ?? '' }
    await admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params,
      body: { resolution: 'approved' },
    })
  }
  return { activityId, approve }
}

describe('copydesk mailing', () => {
  it('tests a newsletter, sends it at its time, and follows it', async () => {
    const { activityId, approve } = await newsletter()
    expect((await run('mailing', 'list')).stdout).toBe('No mailings.\n')
    expect((await run('mailing', 'test', activityId)).stdout).toMatch(
      /^✔ “News from the bakery” goes to admin\.1\.tenant-1@/,
    )
    expect(await run('mailing', 'start', activityId, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No verdict covers the newest text'),
    })
    await approve()
    const at = ['--at', '2990-01-02T03:04:00Z']
    // Nothing is sent to anybody without a yes.
    expect(await run('mailing', 'start', activityId, ...at)).toMatchObject({ code: 2, stdout: '' })
    const { id } = await staff.json<{ id: string }>(
      ['mailing', 'start', activityId, '--tag', 'club', ...at, '--yes'],
      login,
    )
    const shown = (await run('mailing', 'show', id)).stdout
    expect(shown).toContain(`scheduled  to leads: #club, activity ${activityId}`)
    expect(shown).toContain('For 2990-01-02 03:04 UTC')
    const calendar = await run('publish', 'calendar', '--from', '2990-01-01', '--to', '2990-01-05')
    expect(calendar.stdout).toMatch(
      /2990-01-02\n {2}\d\d:04 {2}scheduled {3}News from the bakery {2}mailing to leads {2}\w{26}\n/,
    )
    expect((await run('mailing', 'list')).stdout).toMatch(/2990-01-02 03:04\tscheduled\tNews from the bakery/)
    expect((await run('mailing', 'pause', id)).stdout).toContain('paused')
    expect((await run('mailing', 'resume', id)).stdout).toContain('scheduled')
    expect((await run('mailing', 'cancel', id, '--yes')).stdout).toContain('cancelled')
    expect(await run('mailing', 'resume', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The mailing is cancelled'),
    })
  })
})
