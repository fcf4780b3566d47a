import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { refusal } from '../refusal.ts'

/** An instance on which a report is ordered, and what can be asked about it. */
async function openProbeSession(clock: TestClock, worker: { concurrency: number } | false) {
  const app = await createTestApp({ clock, worker, allowErrors: true })
  const team = await app.team()
  const body = {
    tenantId: team.tenantId,
    type: 'custom' as const,
    periodStart: '2026-03-01',
    periodEnd: '2026-03-31',
  }
  const shown = async (reportId: string) =>
    team.reviewer.call('dm', 'GET /reports/:reportId', { params: { reportId } })
  /** Lets time pass, but not while a worker has a report in hand: the login must not run out on a slow machine. */
  const passes = async () => {
    const atWork = `select id from job where kind = 'report.write' and status = 'running' and lease_until > ?`
    if (!(await app.db.sql.get(atWork, [clock.date()]))) clock.advance(5_000)
  }
  return {
    app,
    team,
    shown,
    order: async () => (await team.reviewer.call('dm', 'POST /reports', { body })).reportId,
    again: (reportId: string) =>
      team.reviewer.call('dm', 'POST /reports/:reportId/retry', { params: { reportId } }),
    passes,
    /** Time goes on until the report is no longer being written. */
    ended: (reportId: string) =>
      app.until(async () => {
        await passes()
        const report = await shown(reportId)
        return report.status !== 'generating' && report
      }, 'the report has an end'),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** As a worker leaves it that was killed at the last try. */
const lastTryDied = (app: { db: Awaited<ReturnType<typeof createTestApp>>['db'] }, until: Date) =>
  app.db.write((tx) =>
    tx.run(
      `update job set status = 'running', worker = 'gone', attempt = max_attempts, lease_until = ? where kind = 'report.write'`,
      [until],
    ),
  )

describe('a report whose generation is interrupted', () => {
  it('fails with a reason when the process dies at each attempt, and is generated on request', async () => {
    const clock = createTestClock()
    await using harness = await openProbeSession(clock, false)
    const id = await harness.order()
    await lastTryDied(harness.app, clock.date())
    await harness.app.another({ worker: { concurrency: 2 } })
    const failed = await harness.ended(id)
    expect(failed).toMatchObject({
      status: 'failed',
      failureReason: 'The server stopped, or fell silent, each time that the report was written.',
    })
    expect(failed).not.toHaveProperty('pdfUrl')
    const query = { 'filter.status': 'failed' as const }
    const { reviewer, admin } = harness.team
    expect((await reviewer.call('dm', 'GET /reports', { query })).data).toMatchObject([
      { id, failureReason: failed.failureReason },
    ])
    // The tenant's side waits for it, as for any that is not there yet.
    const drafts = await admin.call('dashboard', 'GET /reports', { query: { 'filter.status': 'draft' } })
    expect(drafts.data).toMatchObject([{ id, status: 'draft' }])
    const deliver = { params: { reportId: id }, body: { to: [] } }
    expect(await refusal(reviewer.call('dm', 'POST /reports/:reportId/deliver', deliver))).toMatchObject({
      status: 422,
    })
    expect(await harness.again(id)).toEqual({ reportId: id, status: 'generating' })
    const written = await harness.ended(id)
    expect(written).toMatchObject({ status: 'ready', pdfUrl: expect.any(String) })
    expect(written).not.toHaveProperty('failureReason')
  })

  it('fails when it cannot be written, which a retry of the dead letter fixes as well', async () => {
    const clock = createTestClock()
    await using harness = await openProbeSession(clock, { concurrency: 2 })
    const blocked = join(harness.app.options.dataDir, 'blobs')
    await rm(blocked, { recursive: true, force: true })
    await writeFile(blocked, 'in the way')
    const id = await harness.order()
    expect(await harness.ended(id)).toMatchObject({
      status: 'failed',
      failureReason:
        'The report could not be written; the operator of this installation finds why among the failed jobs.',
    })
    await rm(blocked)
    await mkdir(blocked)
    const { system } = harness.app.copydesk.asSystem()
    const [letter] = (await system.deadLetters()).data
    expect(letter?.name).toBe('report.write')
    await system.retry(letter?.id ?? '')
    await harness.app.until(async () => {
      await harness.passes()
      return (await harness.shown(id)).status === 'ready'
    }, 'it is written')
  })

  it('fails once when its job is lost', async () => {
    const clock = createTestClock()
    await using harness = await openProbeSession(clock, false)
    const id = await harness.order()
    await harness.app.db.write((tx) => tx.run(`delete from job where kind = 'report.write'`))
    for (let n = 0; n < 2; n += 1) await harness.app.another({ worker: { concurrency: 2 } })
    expect(await harness.ended(id)).toMatchObject({ status: 'failed' })
    clock.advance(120_000)
    const told = `select id from audit_records where resource_id = ? and action = 'report.fail'`
    expect(await harness.app.db.sql.all(told, [id])).toHaveLength(1)
  })
})

describe('dm.reports.retry', () => {
  it('can be retried when it has failed, and by its tenant only', async () => {
    const clock = createTestClock()
    await using harness = await openProbeSession(clock, { concurrency: 2 })
    const id = await harness.order()
    expect(await harness.ended(id)).toMatchObject({ status: 'ready' })
    expect(await refusal(harness.again(id))).toMatchObject({ status: 422 })
    const other = await harness.app.team('Other')
    const params = { reportId: id }
    expect(
      await refusal(other.reviewer.call('dm', 'POST /reports/:reportId/retry', { params })),
    ).toMatchObject({
      status: 404,
    })
  })
})
