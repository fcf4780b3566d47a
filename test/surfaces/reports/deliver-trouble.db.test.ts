import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { createDyingMailServer } from '../../kit/dying-mail.ts'
import { createTestMailServer } from '../../kit/mail.ts'
import {
  addressesOf,
  adminAddress,
  byServer,
  deliverReport,
  joinTenant,
  settledMails,
  shownReport,
} from './deliveries.ts'
import { createReportHarness, type ReportHarness } from './fixtures.ts'

describe('dm.reports.deliver', () => {
  it('does not send twice what the mail server may have accepted before it died', async () => {
    await using server = await createDyingMailServer('after')
    const clock = createTestClock()
    await using harness = await createReportHarness({ ...byServer(server.port), clock })
    const id = await ordered(harness, clock)
    await deliverReport(harness, id, { to: [] })
    await moved(harness, clock, 'unknown')
    expect(server.received).toBe(1)
    await deliverReport(harness, id, { to: [] })
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
    await using harness = await createReportHarness({ ...byServer(dying.port), clock })
    const id = await ordered(harness, clock)
    // Larger than what fits into the pipe at once, so that the end of it was surely never under way.
    const key =
      (await harness.app.db.sql.get<{ blob_key: string }>('select blob_key from reports'))?.blob_key ?? ''
    const { createDirectoryBlobs } = await import('../../../packages/core/src/platform/blobs/directory.ts')
    await createDirectoryBlobs(`${harness.app.options.dataDir}/blobs`).put(key, Buffer.alloc(8_000_000, 37))
    await deliverReport(harness, id, { to: [] })
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
        refuses && address !== adminAddress ? { code: 550, text: 'no such person' } : undefined,
    })
    await using harness = await createReportHarness({ ...byServer(server.port), allowErrors: true })
    await joinTenant(harness, 'gone@client.example')
    const id = await harness.report()
    await deliverReport(harness, id, { to: ['gone@client.example'] })
    await settledMails(harness)
    expect((await shownReport(harness, id)).deliveries).toEqual([
      { to: adminAddress, status: 'sent' },
      { to: 'gone@client.example', status: 'refused' },
    ])
    refuses = false
    await deliverReport(harness, id, { to: ['gone@client.example'] })
    await settledMails(harness)
    expect((await shownReport(harness, id)).deliveries).toMatchObject([{}, { status: 'refused' }])
    await harness.app.copydesk.asSystem().mail.lift('gone@client.example')
    await deliverReport(harness, id, { to: ['gone@client.example'] })
    await settledMails(harness)
    expect(addressesOf(server)).toEqual([adminAddress, 'gone@client.example'])
  })

  it('sends on request what was given up because the mail server was away for too long', async () => {
    let away = true
    await using server = await createTestMailServer({
      recipient: () => (away ? { code: 450, text: 'come back later' } : undefined),
    })
    await using harness = await createReportHarness({ ...byServer(server.port), allowErrors: true })
    const id = await harness.report()
    await deliverReport(harness, id, { to: [] })
    const tried = `from job where kind = 'mail.report' and status = 'waiting' and attempt > 0`
    await harness.app.until(
      async () => (await harness.count(`select count(*) as n ${tried}`)) === 1,
      'it is tried',
    )
    await deliverReport(harness, id, { to: [] })
    expect(await harness.count(`select count(*) as n from job where kind = 'mail.report'`)).toBe(1)
    // As the queue leaves it after the last try.
    await harness.app.db.write((tx) =>
      tx.run(`update job set status = 'dead', finished_at = created_at where kind = 'mail.report'`),
    )
    away = false
    expect((await shownReport(harness, id)).deliveries).toEqual([{ to: adminAddress, status: 'pending' }])
    await deliverReport(harness, id, { to: [] })
    await settledMails(harness)
    expect((await shownReport(harness, id)).deliveries).toEqual([{ to: adminAddress, status: 'sent' }])
    expect(addressesOf(server)).toEqual([adminAddress])
  })

  it('treats e-mails that were being sent when the process died as possibly sent', async () => {
    await using server = await createTestMailServer()
    await using harness = await createReportHarness(byServer(server.port))
    const id = await harness.report()
    await deliverReport(harness, id, { to: [] })
    await settledMails(harness)
    await harness.app.db.write(async (tx) => {
      await tx.run(`update report_deliveries set status = 'sending'`)
      await tx.run(`update job set status = 'waiting', attempt = 0 where kind = 'mail.report'`)
    })
    await harness.app.until(
      async () => (await shownReport(harness, id)).deliveries?.[0]?.status === 'unknown',
      'it is looked at',
    )
    await settledMails(harness)
    expect(server.taken).toHaveLength(1)
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
    return (await shownReport(harness, reportId)).status === 'ready'
  }, 'it is written')
  return reportId
}

const moved = (harness: ReportHarness, clock: ReturnType<typeof createTestClock>, status: string) =>
  harness.app.until(async () => {
    clock.advance(1_000)
    return (await harness.count('select count(*) as n from report_deliveries where status = ?', status)) > 0
  }, `a mail is ${status}`)
