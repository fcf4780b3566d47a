import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestApp, password, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { mailsOf } from '../../kit/mail.ts'
import { createIosServer } from '../../kit/push-servers.ts'
import { type Told, tell } from '../../surfaces/notified.ts'

const clock = createTestClock(Date.parse('2026-01-10T12:00:00Z'))
let ios: Awaited<ReturnType<typeof createIosServer>>
let app: TestApp
let team: Team
let number = 0

beforeAll(async () => {
  ios = await createIosServer()
  app = await createTestApp({ clock, allowHosts: ['127.0.0.1'], push: { ios: ios.options } })
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await ios[Symbol.asyncDispose]()
})

beforeEach(async () => {
  // Logins are counted.
  clock.advance(61_000)
  team = await app.team()
  number += 1
  ios.pushed.length = 0
  const body = {
    deviceId: randomUUID(),
    pushToken: randomUUID(),
    platform: 'ios' as const,
    appVersion: '1.0',
  }
  await team.admin.call('mobile', 'POST /push/devices', { body })
})

type Ways = { inbox: boolean; push: boolean; mail: boolean }

const prefer = (
  approval_created: Ways,
  quietHours: { from: string; to: string; timezone?: string } | null = null,
) =>
  team.admin.call('tenant', 'PUT /notifications/preferences', {
    body: { ways: { approval_created }, quietHours },
  })

const tellAdmin = (more: Partial<Told> = {}) =>
  tell(app, { tenantId: team.tenantId, to: 'admins', title: `News ${number}`, ...more })

/** Jobs that have nothing to wait for are done. */
const settled = () =>
  app.until(async () => {
    clock.advance(2_000)
    const row = await app.db.sql.get<{ n: number }>(
      `select count(*) as n from job where kind in ('push.send', 'mail.notification') and (status = 'running' or (status = 'waiting' and run_at <= ?))`,
      [clock.date()],
    )
    return Number(row?.n) === 0
  }, 'all that is due is sent')

/** What has reached the admin, in each way. */
async function reached() {
  const row = await app.db.sql.get<{ n: number }>(
    'select count(*) as n from notifications where tenant_id = ? and inbox = ?',
    [team.tenantId, true],
  )
  const mails = (await mailsOf(app)).filter(({ text }) => text.includes(`> News ${number}\n`))
  // Titles are written by tenants and agents: the e-mail quotes them, and not in its subject.
  for (const { subject } of mails) expect(subject).toBe('Copydesk: an approval is pending')
  return { inbox: Number(row?.n), push: ios.pushed.length, mail: mails.length }
}

describe('the notification channels of a user', () => {
  it.each([
    [{ inbox: true, push: true, mail: true }, 'budget_alert', { inbox: 1, push: 1, mail: 0 }],
    [{ inbox: true, push: true, mail: true }, 'approval_created', { inbox: 1, push: 1, mail: 1 }],
    [{ inbox: false, push: true, mail: false }, 'approval_created', { inbox: 0, push: 1, mail: 0 }],
    [{ inbox: false, push: false, mail: true }, 'approval_created', { inbox: 0, push: 0, mail: 1 }],
    [{ inbox: true, push: false, mail: false }, 'approval_created', { inbox: 1, push: 0, mail: 0 }],
    [{ inbox: false, push: false, mail: false }, 'approval_created', { inbox: 0, push: 0, mail: 0 }],
  ] as const)('follow the preferences: %j of approvals, delivered by %s', async (ways, type, expected) => {
    await prefer(ways)
    await tellAdmin({ type })
    await settled()
    expect(await reached()).toEqual(expected)
    const { data } = await team.admin.call('mobile', 'GET /notifications')
    expect(data).toHaveLength(expected.inbox)
  })

  it('apply to that user only', async () => {
    await prefer({ inbox: false, push: false, mail: false })
    const { id } = await app.copydesk.asSystem().users.create({
      email: `second.${number}@ways.example`,
      name: 'Second Admin',
      password,
      role: 'admin',
      tenantId: team.tenantId,
    })
    await tellAdmin()
    const rows = await app.db.sql.all<{ user_id: string }>(
      'select user_id from notifications where tenant_id = ?',
      [team.tenantId],
    )
    expect(rows).toEqual([{ user_id: id }])
  })
})

describe('quiet hours', () => {
  const all = { inbox: true, push: true, mail: true }
  /** Quiet from now on for two hours, by the clock on the tenant's wall: London, in winter. */
  const from = (at: number) => new Date(at).toISOString().slice(11, 16)
  const fromNow = () => ({ from: from(clock.now() - 60_000), to: from(clock.now() + 7_200_000) })

  it('delay push and e-mail until they end, and not the inbox', async () => {
    await prefer(all, fromNow())
    await tellAdmin()
    await settled()
    expect(await reached()).toEqual({ inbox: 1, push: 0, mail: 0 })
    clock.advance(7_000_000)
    await settled()
    expect(await reached()).toEqual({ inbox: 1, push: 0, mail: 0 })
    clock.advance(400_000)
    await settled()
    expect(await reached()).toEqual({ inbox: 1, push: 1, mail: 1 })
  })

  it('do not delay high-risk notifications', async () => {
    await prefer(all, fromNow())
    await tellAdmin({ urgent: true })
    await settled()
    expect(await reached()).toEqual({ inbox: 1, push: 1, mail: 1 })
  })

  it('use the user’s own time zone, if set', async () => {
    await prefer(all, { ...fromNow(), timezone: 'Asia/Tokyo' })
    await tellAdmin()
    await settled()
    expect(await reached()).toEqual({ inbox: 1, push: 1, mail: 1 })
  })

  it('drop notifications on a channel that the user has disabled meanwhile', async () => {
    await prefer(all, fromNow())
    await tellAdmin()
    await prefer({ inbox: true, push: false, mail: true })
    await settled()
    clock.advance(7_300_000)
    await settled()
    expect(await reached()).toEqual({ inbox: 1, push: 0, mail: 1 })
  })

  it('that begin during a retry delay the next attempt', async () => {
    await prefer(all)
    ios.reactions.push({ status: 503 })
    await tellAdmin()
    await app.until(async () => {
      if (ios.pushed.length === 0) clock.advance(500)
      return ios.pushed.length === 1
    }, 'the first try')
    await prefer(all, fromNow())
    clock.advance(600_000)
    await settled()
    expect(ios.pushed).toHaveLength(1)
    clock.advance(7_300_000)
    await settled()
    expect(ios.pushed).toHaveLength(2)
  })
})
