import { describe, expect, it } from 'vitest'
import { createTestApp, encryptionKeys, signingKeys, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createTestMailServer, mailsOf, nthMail, type TestMailServer, tokenIn } from '../../kit/mail.ts'
import { admin } from '../../surfaces/auth/accounts.ts'
import { contents } from '../contents.ts'

const hour = 3_600_000
const by = ({ port }: TestMailServer) => ({
  from: 'Copydesk <desk@sender.example>',
  smtp: { host: '127.0.0.1', port },
})

const invite = (app: TestApp, tenantId: string, email = 'eve@test.example') =>
  app.copydesk.asSystem().invitations.create({ email, name: 'Eve', role: 'member', tenantId })

interface Job {
  status: string
  attempt: number
  failures: unknown
}
const mailJobs = (app: TestApp) =>
  app.db.sql.all<Job>(`select status, attempt, failures from job where kind like 'mail.%' order by id`)

/** True for a job whose first try has failed. */
const failed = ({ status, attempt }: Job) => status === 'waiting' && attempt === 1

/** Moves the clock on, a second at a time, until a probe gives something. */
const inTime = <T>(app: TestApp, clock: TestClock, probe: () => Promise<T | false>, what: string) =>
  app.until(async () => {
    clock.advance(1_000)
    return probe()
  }, what)

describe('an e-mail of the domain', () => {
  it('is retried on a temporary failure, and arrives once', async () => {
    const clock = createTestClock()
    const answers = [451, 421, 450].map((code) => ({ code, text: 'try again later' }))
    await using server = await createTestMailServer({ refusal: () => answers.shift() })
    await using app = await createTestApp({ clock, mail: by(server) })
    const { tenantId } = await app.team()
    await invite(app, tenantId)
    await inTime(app, clock, async () => (await mailJobs(app))[0]?.status === 'done', 'the mail is sent')
    expect(await mailJobs(app)).toMatchObject([{ attempt: 4 }])
    expect(server.taken).toHaveLength(1)
    expect(server.taken[0]).toMatchObject({ from: 'desk@sender.example', to: ['eve@test.example'] })
    const token = tokenIn((server.taken[0] as (typeof server.taken)[number]).mail)
    expect((await app.fetch(`/auth/v1/invitations/${token}`)).status).toBe(200)
    expect(JSON.stringify(await contents(app, ['job', 'invitations', 'audit_records']))).not.toContain(token)
  })

  it('contains a link whose hour began when it was requested', async () => {
    const clock = createTestClock()
    let busy = true
    await using server = await createTestMailServer({
      refusal: () => (busy ? { code: 451, text: 'busy' } : undefined),
    })
    await using app = await createTestApp({ clock, mail: by(server) })
    await app.team()
    await app.clientFor().call('auth', 'POST /forgot-password', { body: { email: admin } })
    await app.until(async () => (await mailJobs(app)).some(failed), 'the first try has failed')
    busy = false
    clock.advance(hour / 2)
    // A try may fail for another reason, and is made again in time.
    await inTime(app, clock, async () => server.taken.length === 1, 'the mail is sent')
    const token = tokenIn((server.taken[0] as (typeof server.taken)[number]).mail)
    clock.advance(hour / 2)
    const late = app.clientFor().call('auth', 'POST /reset-password', {
      body: { token, newPassword: 'Another-horse-2' },
    })
    await expect(late).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'token' })
  })

  it('becomes a dead letter at once on a permanent failure', async () => {
    const clock = createTestClock()
    let asked = 0
    await using server = await createTestMailServer({
      recipient(address) {
        if (!address.startsWith('gone')) return undefined
        asked += 1
        return { code: 550, text: 'no such mailbox' }
      },
    })
    await using app = await createTestApp({ clock, mail: by(server), allowErrors: true })
    const { tenantId } = await app.team()
    await invite(app, tenantId, 'gone@test.example')
    await app.until(async () => (await mailJobs(app))[0]?.status === 'dead', 'the mail is given up')
    clock.advance(2 * hour)
    await invite(app, tenantId)
    await app.until(async () => server.taken.length === 1, 'another mail is sent')
    expect(asked).toBe(1)
    const [dead] = await mailJobs(app)
    expect(dead).toMatchObject({ status: 'dead', attempt: 1 })
    expect(JSON.stringify(dead?.failures)).toContain('no such mailbox')
  })

  it('becomes a dead letter in the end, when the server never accepts it', async () => {
    const clock = createTestClock()
    await using server = await createTestMailServer({ refusal: () => ({ code: 451, text: 'busy' }) })
    await using app = await createTestApp({ clock, mail: by(server), allowErrors: true })
    const { tenantId } = await app.team()
    const start = clock.now()
    await invite(app, tenantId)
    await app.until(async () => {
      clock.advance(30_000)
      return (await mailJobs(app))[0]?.status === 'dead'
    }, 'the mail is given up')
    expect(await mailJobs(app)).toMatchObject([{ attempt: 16 }])
    expect(clock.now() - start).toBeGreaterThan(30 * 60_000)
  })

  it('is not sent once its link is invalid', async () => {
    const clock = createTestClock()
    let busy = true
    await using server = await createTestMailServer({
      refusal: () => (busy ? { code: 451, text: 'busy' } : undefined),
    })
    await using app = await createTestApp({ clock, mail: by(server) })
    const { tenantId } = await app.team()
    const { invitations } = app.copydesk.asSystem()
    const revoked = await invite(app, tenantId, 'one@test.example')
    const sentAgain = await invite(app, tenantId, 'two@test.example')
    await app.clientFor().call('auth', 'POST /forgot-password', { body: { email: admin } })
    await app.until(async () => {
      const jobs = await mailJobs(app)
      return jobs.length === 3 && jobs.every(failed)
    }, 'all three are tried')
    await invitations.revoke(revoked.id)
    await invitations.resend(sentAgain.id)
    await app.db.write((tx) => tx.run(`update users set status = 'suspended' where email = ?`, [admin]))
    busy = false
    await inTime(
      app,
      clock,
      async () => (await mailJobs(app)).every(({ status }) => status === 'done'),
      'all jobs are done',
    )
    expect(await mailJobs(app)).toHaveLength(4)
    expect(server.taken.map(({ to }) => to)).toEqual([['two@test.example']])
    const token = tokenIn((server.taken[0] as (typeof server.taken)[number]).mail)
    expect((await app.fetch(`/auth/v1/invitations/${token}`)).status).toBe(200)
  })

  it('does not block other jobs while the mail server hangs', async () => {
    await using server = await createTestMailServer({ hold: true })
    await using app = await createTestApp({ mail: by(server) })
    const { tenantId, admin } = await app.team()
    for (let i = 0; i < 6; i += 1) await invite(app, tenantId, `eve.${i}@test.example`)
    await app.until(async () => server.held === 2, 'two mails are at the server')
    await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'A bakery.', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    await app.until(
      async () =>
        await app.db.sql.get(`select 1 as one from job where kind = 'campaign.plan' and status = 'done'`),
      'the campaign is planned',
    )
    expect(server.held).toBe(2)
    server.release()
    await app.until(async () => server.taken.length === 6, 'all mails are sent')
  })

  it('is written with the secrets of its job after the encryption key was rotated', async () => {
    const newer = { id: 'k2', key: Buffer.alloc(32, 8).toString('base64') }
    await using app = await createTestApp({ worker: false })
    const { tenantId } = await app.team()
    await invite(app, tenantId)
    await app.clientFor().call('auth', 'POST /forgot-password', { body: { email: admin } })
    const { keys } = app.copydesk
    keys.replace({ encryptionKeys: [newer, ...encryptionKeys], signingKeys })
    await keys.reencrypt()
    expect(Object.keys(await keys.inUse())).toEqual(['k2'])
    await app.another({ encryptionKeys: [newer], worker: { concurrency: 2 } })
    await nthMail(app, 2)
    expect((await mailsOf(app)).map(({ to }) => to).toSorted()).toEqual([admin, 'eve@test.example'])
  })
})
