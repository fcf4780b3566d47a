import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { password } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createDyingMailServer } from '../../kit/dying-mail.ts'
import { createTestMailServer, type TestMailServer } from '../../kit/mail.ts'
import { refusal } from '../refusal.ts'
import { createReportHarness, type ReportHarness, textOfPdf } from './fixtures.ts'

const by = (port: number) => ({
  mail: { from: 'Copydesk <desk@sender.example>', smtp: { host: '127.0.0.1', port } },
})

const admin = 'admin.1.tenant-1@test.example'

const deliver = (
  { team }: ReportHarness,
  reportId: string,
  body: { to: string[]; subject?: string; message?: string },
) => team.reviewer.call('dm', 'POST /reports/:reportId/deliver', { params: { reportId }, body })

const shown = ({ team }: ReportHarness, reportId: string) =>
  team.reviewer.call('dm', 'GET /reports/:reportId', { params: { reportId } })

/** Waits until no mail of a report is on its way any more. */
const settled = (harness: ReportHarness) =>
  harness.app.until(
    async () =>
      (await harness.count(
        `select count(*) as n from job where kind = 'mail.report' and status in ('waiting', 'running')`,
      )) === 0,
    'every mail is settled',
  )

const addresses = ({ taken }: TestMailServer) => taken.flatMap(({ to }) => to).toSorted()

/** Makes people of the tenant. */
async function joined({ app, team }: ReportHarness, ...emails: string[]) {
  for (const email of emails)
    await app.copydesk
      .asSystem()
      .users.create({ email, name: 'Bo Client', password, role: 'member', tenantId: team.tenantId })
}

/** The file that hangs on a mail. */
function attached(raw: string): Buffer {
  const [, part = ''] = /filename=report-[\d-]+\.pdf([\s\S]*)/.exec(raw) ?? []
  const body = part.slice(part.indexOf('\r\n\r\n') + 4)
  return Buffer.from(body.slice(0, body.indexOf('\r\n--')), 'base64')
}

describe('dm.reports.deliver', () => {
  it('mails the PDF to the admins and to the given recipients, each once, also when repeated', async () => {
    await using server = await createTestMailServer()
    await using harness = await createReportHarness(by(server.port))
    await joined(harness, 'boss@client.example', 'cfo@client.example')
    const id = await harness.report()
    const to = ['Boss@client.example', 'boss@client.example', admin]
    const said = { subject: 'Your month', message: 'Hello.\n\nSee below.' }
    const answers = await Promise.all([
      deliver(harness, id, { to, ...said }),
      deliver(harness, id, { to, ...said }),
    ])
    for (const answer of answers)
      expect(answer).toEqual({ delivered: true, sentTo: [admin, 'boss@client.example'] })
    await settled(harness)
    expect(await deliver(harness, id, { to: ['cfo@client.example'] })).toMatchObject({
      sentTo: [admin, 'cfo@client.example'],
    })
    await settled(harness)
    expect(addresses(server)).toEqual([admin, 'boss@client.example', 'cfo@client.example'])
    for (const { to: one, mail } of server.taken) {
      expect(mail.subject).toBe('A report for you on Copydesk')
      const quoted = one[0] !== 'cfo@client.example'
      for (const line of ['> Your month', '> Hello.', '> See below.', 'Rita Reviewer'])
        expect(mail.raw.includes(line), line).toBe(quoted)
      const pdf = attached(mail.raw)
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
      expect(await textOfPdf(pdf)).toContain('In short')
    }
    const report = await shown(harness, id)
    expect(report).toMatchObject({
      status: 'delivered',
      deliveredAt: expect.any(String),
      deliveredTo: [admin, 'boss@client.example', 'cfo@client.example'],
    })
    expect(report.deliveries?.map(({ status }) => status)).toEqual(['sent', 'sent', 'sent'])
    const params = { reportId: id }
    expect(await harness.team.admin.call('dashboard', 'GET /reports/:reportId', { params })).toMatchObject({
      status: 'delivered',
      deliveredBy: 'Rita Reviewer',
      deliveryChannel: 'email',
    })
  })

  it('does not send twice what the mail server may have accepted before it died', async () => {
    await using server = await createDyingMailServer('after')
    const clock = createTestClock()
    await using harness = await createReportHarness({ ...by(server.port), clock })
    const id = await ordered(harness, clock)
    await deliver(harness, id, { to: [] })
    await moved(harness, clock, 'unknown')
    expect(server.received).toBe(1)
    await deliver(harness, id, { to: [] })
    clock.advance(3_600_000)
    await harness.app.until(async () => {
      clock.advance(1_000)
      return (
        (await harness.count(
          `select count(*) as n from job where kind = 'mail.report' and status <> 'done'`,
        )) === 0
      )
    }, 'no mail is to be sent')
    expect(server.received).toBe(1)
    expect(await harness.count(`select count(*) as n from report_deliveries where status = 'unknown'`)).toBe(
      1,
    )
  })

  it('sends again what the mail server has certainly not accepted', async () => {
    const clock = createTestClock()
    await using dying = await createDyingMailServer('before')
    await using harness = await createReportHarness({ ...by(dying.port), clock })
    const id = await ordered(harness, clock)
    // Larger than what fits into the pipe at once, so that the end of it was surely never under way.
    const key =
      (await harness.app.db.sql.get<{ blob_key: string }>('select blob_key from reports'))?.blob_key ?? ''
    const { createDirectoryBlobs } = await import('../../../packages/core/src/platform/blobs/directory.ts')
    await createDirectoryBlobs(`${harness.app.options.dataDir}/blobs`).put(key, Buffer.alloc(8_000_000, 37))
    await deliver(harness, id, { to: [] })
    await harness.app.until(async () => {
      clock.advance(1_000)
      return dying.begun >= 3
    }, 'it was tried three times')
    expect(await harness.count(`select count(*) as n from report_deliveries where status = 'unknown'`)).toBe(
      0,
    )
  })

  it('reports rejected recipients, and retries them on request once their address is turned on', async () => {
    let refuses = true
    await using server = await createTestMailServer({
      recipient: (address) =>
        refuses && address !== admin ? { code: 550, text: 'no such person' } : undefined,
    })
    await using harness = await createReportHarness({ ...by(server.port), allowErrors: true })
    await joined(harness, 'gone@client.example')
    const id = await harness.report()
    await deliver(harness, id, { to: ['gone@client.example'] })
    await settled(harness)
    expect((await shown(harness, id)).deliveries).toEqual([
      { to: admin, status: 'sent' },
      { to: 'gone@client.example', status: 'refused' },
    ])
    refuses = false
    await deliver(harness, id, { to: ['gone@client.example'] })
    await settled(harness)
    expect((await shown(harness, id)).deliveries).toMatchObject([{}, { status: 'refused' }])
    await harness.app.copydesk.asSystem().mail.lift('gone@client.example')
    await deliver(harness, id, { to: ['gone@client.example'] })
    await settled(harness)
    expect(addresses(server)).toEqual([admin, 'gone@client.example'])
  })

  it('sends on request what was given up because the mail server was away for too long', async () => {
    let away = true
    await using server = await createTestMailServer({
      recipient: () => (away ? { code: 450, text: 'come back later' } : undefined),
    })
    await using harness = await createReportHarness({ ...by(server.port), allowErrors: true })
    const id = await harness.report()
    await deliver(harness, id, { to: [] })
    const tried = `from job where kind = 'mail.report' and status = 'waiting' and attempt > 0`
    await harness.app.until(
      async () => (await harness.count(`select count(*) as n ${tried}`)) === 1,
      'it is tried',
    )
    await deliver(harness, id, { to: [] })
    expect(await harness.count(`select count(*) as n from job where kind = 'mail.report'`)).toBe(1)
    // As the queue leaves it after the last try.
    await harness.app.db.write((tx) =>
      tx.run(`update job set status = 'dead', finished_at = created_at where kind = 'mail.report'`),
    )
    away = false
    expect((await shown(harness, id)).deliveries).toEqual([{ to: admin, status: 'pending' }])
    await deliver(harness, id, { to: [] })
    await settled(harness)
    expect((await shown(harness, id)).deliveries).toEqual([{ to: admin, status: 'sent' }])
    expect(addresses(server)).toEqual([admin])
  })

  it('treats e-mails that were being sent when the process died as possibly sent', async () => {
    await using server = await createTestMailServer()
    await using harness = await createReportHarness(by(server.port))
    const id = await harness.report()
    await deliver(harness, id, { to: [] })
    await settled(harness)
    await harness.app.db.write(async (tx) => {
      await tx.run(`update report_deliveries set status = 'sending'`)
      await tx.run(`update job set status = 'waiting', attempt = 0 where kind = 'mail.report'`)
    })
    await harness.app.until(
      async () => (await shown(harness, id)).deliveries?.[0]?.status === 'unknown',
      'it is looked at',
    )
    await settled(harness)
    expect(server.taken).toHaveLength(1)
  })

  it('sends only to users of the tenant and assigned reviewers', async () => {
    await using harness = await createReportHarness()
    const neighbour = await harness.app.team('Neighbour')
    await joined(harness, 'left@client.example')
    const id = await harness.report()
    await harness.app.db.write((tx) =>
      tx.run(`update users set status = 'suspended' where email = 'left@client.example'`),
    )
    const member = 'member.1.tenant-1@test.example'
    const reviewer = 'reviewer.1.tenant-1@test.example'
    const messages = new Set<string>()
    for (const stranger of [
      'stranger@elsewhere.example',
      'left@client.example',
      'admin.1.neighbour@test.example',
      'reviewer.1.neighbour@test.example',
    ]) {
      const call = deliver(harness, id, { to: [member, stranger], message: 'Buy now!' })
      const refused = await call.catch((error: unknown) => error as ApiError)
      expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field: 'to.1' })
      messages.add((refused as ApiError).message.replace(stranger, ''))
    }
    // Whether someone has an account elsewhere is not told.
    expect([...messages]).toEqual([
      expect.stringMatching(/no one of this tenant: .* Invite the person first$/),
    ])
    expect(await harness.count('select count(*) as n from report_deliveries')).toBe(0)
    expect(await harness.count(`select count(*) as n from job where kind = 'mail.report'`)).toBe(0)
    expect((await shown(harness, id)).status).toBe('ready')
    expect(await deliver(harness, id, { to: [member, reviewer] })).toMatchObject({
      sentTo: [admin, member, reviewer],
    })
    expect(neighbour.tenantId).not.toBe(harness.team.tenantId)
  })

  it('rejects unfinished reports and invalid addresses', async () => {
    await using harness = await createReportHarness()
    const id = await harness.report()
    for (const [body, field] of [
      [{ to: ['nobody'] }, 'to.0'],
      [{ to: [], subject: '' }, 'subject'],
      [{ to: [], cc: [] }, 'cc'],
    ] as const)
      expect(await refusal(deliver(harness, id, body as never))).toMatchObject({ status: 400, field })
    await harness.app.db.write((tx) => tx.run(`update reports set status = 'generating'`))
    expect(await refusal(deliver(harness, id, { to: [] }))).toMatchObject({
      status: 422,
      code: 'UNPROCESSABLE',
    })
    expect(await harness.count('select count(*) as n from report_deliveries')).toBe(0)
  })
})

async function ordered(harness: ReportHarness, clock: ReturnType<typeof createTestClock>): Promise<string> {
  const body = {
    tenantId: harness.team.tenantId,
    type: 'custom' as const,
    periodStart: '2026-01-01',
    periodEnd: '2026-01-31',
  }
  const { reportId } = await harness.team.reviewer.call('dm', 'POST /reports', { body })
  await harness.app.until(async () => {
    clock.advance(1_000)
    return (await shown(harness, reportId)).status === 'ready'
  }, 'it is written')
  return reportId
}

const moved = (harness: ReportHarness, clock: ReturnType<typeof createTestClock>, status: string) =>
  harness.app.until(async () => {
    clock.advance(1_000)
    return (await harness.count('select count(*) as n from report_deliveries where status = ?', status)) > 0
  }, `a mail is ${status}`)
