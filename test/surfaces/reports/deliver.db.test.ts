import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { createTestMailServer } from '../../kit/mail.ts'
import { refusal } from '../refusal.ts'
import {
  addressesOf,
  adminAddress,
  byServer,
  deliverReport,
  joinTenant,
  settledMails,
  shownReport,
} from './deliveries.ts'
import { createReportHarness, textOfPdf } from './fixtures.ts'

/** The file that hangs on a mail. */
function attached(raw: string): Buffer {
  const [, part = ''] = /filename=report-[\d-]+\.pdf([\s\S]*)/.exec(raw) ?? []
  const body = part.slice(part.indexOf('\r\n\r\n') + 4)
  return Buffer.from(body.slice(0, body.indexOf('\r\n--')), 'base64')
}

describe('dm.reports.deliver', () => {
  it('mails the PDF to the admins and to the given recipients, each once, also when repeated', async () => {
    await using server = await createTestMailServer()
    await using harness = await createReportHarness(byServer(server.port))
    await joinTenant(harness, 'boss@client.example', 'cfo@client.example')
    const id = await harness.report()
    const to = ['Boss@client.example', 'boss@client.example', adminAddress]
    const said = { subject: 'Your month', message: 'Hello.\n\nSee below.' }
    const answers = await Promise.all([
      deliverReport(harness, id, { to, ...said }),
      deliverReport(harness, id, { to, ...said }),
    ])
    for (const answer of answers)
      expect(answer).toEqual({ delivered: true, sentTo: [adminAddress, 'boss@client.example'] })
    await settledMails(harness)
    expect(await deliverReport(harness, id, { to: ['cfo@client.example'] })).toMatchObject({
      sentTo: [adminAddress, 'cfo@client.example'],
    })
    await settledMails(harness)
    expect(addressesOf(server)).toEqual([adminAddress, 'boss@client.example', 'cfo@client.example'])
    for (const { to: one, mail } of server.taken) {
      expect(mail.subject).toBe('A report for you on Copydesk')
      const quoted = one[0] !== 'cfo@client.example'
      for (const line of ['> Your month', '> Hello.', '> See below.', 'Rita Reviewer'])
        expect(mail.raw.includes(line), line).toBe(quoted)
      const pdf = attached(mail.raw)
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
      expect(await textOfPdf(pdf)).toContain('In short')
    }
    const report = await shownReport(harness, id)
    expect(report).toMatchObject({
      status: 'delivered',
      deliveredAt: expect.any(String),
      deliveredTo: [adminAddress, 'boss@client.example', 'cfo@client.example'],
    })
    expect(report.deliveries?.map(({ status }) => status)).toEqual(['sent', 'sent', 'sent'])
    const params = { reportId: id }
    expect(await harness.team.admin.call('dashboard', 'GET /reports/:reportId', { params })).toMatchObject({
      status: 'delivered',
      deliveredBy: 'Rita Reviewer',
      deliveryChannel: 'email',
    })
  })

  it('sends only to users of the tenant and assigned reviewers', async () => {
    await using harness = await createReportHarness()
    const neighbour = await harness.app.team('Neighbour')
    await joinTenant(harness, 'left@client.example')
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
      const call = deliverReport(harness, id, { to: [member, stranger], message: 'Buy now!' })
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
    expect((await shownReport(harness, id)).status).toBe('ready')
    expect(await deliverReport(harness, id, { to: [member, reviewer] })).toMatchObject({
      sentTo: [adminAddress, member, reviewer],
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
      expect(await refusal(deliverReport(harness, id, body as never))).toMatchObject({ status: 400, field })
    await harness.app.db.write((tx) => tx.run(`update reports set status = 'generating'`))
    expect(await refusal(deliverReport(harness, id, { to: [] }))).toMatchObject({
      status: 422,
      code: 'UNPROCESSABLE',
    })
    expect(await harness.count('select count(*) as n from report_deliveries')).toBe(0)
  })
})
