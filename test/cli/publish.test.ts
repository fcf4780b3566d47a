import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertRow } from '../kit/insert-row.ts'
import { addVersion } from '../kit/versions.ts'
import { createWordPressServer, type WordPressServer } from '../kit/wordpress-server.ts'
import { loggedIn } from './kb-staff.ts'
import { createStaff, type Staff } from './staff.ts'

let staff: Staff
let site: WordPressServer
let login: { env: Record<string, string> }

beforeAll(async () => {
  site = await createWordPressServer()
  staff = await createStaff()
  login = await loggedIn(staff, 'admin.1')
})

afterAll(async () => {
  await staff[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const run = (args: string[], input?: string) =>
  staff.run(args, { ...login, ...(input !== undefined && { input }) })
const json = <T>(...args: string[]) => staff.json<T>(args, login)

describe('copydesk channel and copydesk publish', () => {
  it('connect a website, show it, and follow a piece to it', async () => {
    expect(await run(['channel', 'connect', 'cms_site'])).toMatchObject({ code: 2, stdout: '' })
    const { username, secret } = site.login
    const connect = [
      'channel',
      'connect',
      'cms_site',
      '--server',
      site.url,
      '--username',
      username,
      '--secret-stdin',
    ]
    expect(await run(connect, `${secret}\n`)).toMatchObject({
      code: 0,
      stdout: "✔ Website is connected as Ada's Oats & Rye\n",
    })
    const { data: channels } = await json<{ data: Array<{ id: string }> }>('channel', 'list')
    const channelId = channels[0]?.id ?? ''
    expect((await run(['channel', 'list'])).stdout).toMatch(/cms_site\tAda's Oats & Rye\tconnected\t100/)

    const { approvalId, activityId } = await staff.waiting(
      `# Rye at night\n\nIt is [dark](${site.url}/no-such-page).\n`,
    )
    const preview = await run(['publish', 'preview', activityId])
    expect(preview.stdout).toMatch(/^No verdict covers this text\n/)
    expect(preview.stdout).toContain('✔ cms_site\n')
    expect(preview.stdout).toMatch(/✖ photo_network {2}not connected {2}\d+ of 2200 characters/)
    expect((await run(['publish', 'preview', activityId, '--links'])).stdout).toContain(
      `broken  ${site.url}/no-such-page  It answers 404`,
    )
    await staff.harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId },
      body: { resolution: 'approved' },
    })
    const { id } = await staff.harness.team.admin.call('dashboard', 'POST /publications', {
      body: { activityId, channelId, scheduleFor: '2990-01-02T03:04:00.000Z' },
    })
    expect((await run(['publish', 'list', '--status', 'scheduled'])).stdout).toContain('Rye at night')
    expect((await run(['publish', 'show', id])).stdout).toMatch(/For 2990-01-02 03:04 UTC/)
    const calendar = await run(['publish', 'calendar', '--from', '2990-01-01', '--to', '2990-01-31'])
    expect(calendar.stdout).toMatch(/2990-01-02\n {2}\d\d:04 {2}scheduled {3}Rye at night/)
    expect(await run(['publish', 'retry', id])).toMatchObject({ code: 1, stdout: '' })
    expect(await run(['publish', 'reconcile', id, '--url', 'https://a.example'])).toMatchObject({ code: 2 })
    expect((await run(['publish', 'cancel', id, '--yes'])).stdout).toContain('cancelled')

    expect((await run(['channel', 'health', channelId])).stdout).toContain('100 of 100  completeness 100')

    const { app, team } = staff.harness
    const { id: out } = await team.admin.call('dashboard', 'POST /publications', {
      body: { activityId, channelId },
    })
    const shows = (pattern: RegExp) =>
      app.until(async () => pattern.test((await run(['publish', 'show', out])).stdout), String(pattern))
    await shows(/^published/m)
    const became = /what became of it\s+cms_site {2}published .* {2}nothing counted/
    expect((await run(['show', activityId])).stdout).toMatch(became)
    // So it is shown to who has approved it.
    expect((await staff.run(['show', approvalId])).stdout).toMatch(became)
    expect(await run(['publish', 'update', out, '--yes'])).toMatchObject({ code: 1, stdout: '' })
    const text = '# Rye by day\n\nIt is light.\n'
    await addVersion(app.db, { activityId, text, isApproved: true, now: new Date() })
    site.mishaps.push({ status: 429, code: 'too_many', headers: { 'retry-after': '7200' } })
    const planned = await run(['publish', 'update', out, '--yes'])
    expect(planned).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/→ newer text (?:waiting|sending)/),
    })
    await shows(/→ newer text waiting: No: too_many\n {2}tried next/)
    expect((await run(['publish', 'list'])).stdout).toContain('newer text waiting: No: too_many')
    expect((await run(['publish', 'update', out, '--drop', '--yes'])).stdout).not.toContain('newer text')
    expect(site.published.get('Rye by day')).toBeUndefined()
    for (const [day, views] of [
      ['2026-01-01', 40],
      ['2026-01-02', 2],
    ] as const)
      await insertRow(app, team.tenantId, 'account_days', {
        channel_id: channelId,
        account_key: 'a'.repeat(32),
        day,
        views,
        calls: 1,
        updated_on: new Date(),
      })
    expect((await run(['channel', 'health', channelId])).stdout).toContain('In 2 days: 42 views, 2 calls\n')
    expect(await run(['channel', 'disconnect', channelId, '--yes'])).toMatchObject({ code: 0 })
    expect((await run(['channel', 'health', channelId])).stdout).toContain('→ The channel was disconnected')
  })
})
