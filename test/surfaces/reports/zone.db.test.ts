import { describe, expect, it } from 'vitest'
import { createReportHarness } from './fixtures.ts'

describe('the days of a report', () => {
  it('are those of the tenant’s zone, including the whole last day', async () => {
    await using harness = await createReportHarness()
    const agent = await harness.order('social_post')
    const { id } = await harness.activityOf(agent.runId)
    // One o'clock in the night of the first of April in Auckland, and the afternoon before in London.
    const at = new Date('2026-03-31T12:00:00Z')
    await harness.app.db.write(async (tx) => {
      await tx.run(`update activities set status = 'done', completed_at = ? where id = ?`, [at, id])
      await tx.run('update runs set open = ? where id = ?', [false, agent.runId])
    })
    const finished = async (timezone: string, month: string, lastDay: string) => {
      await harness.app.db.write((tx) => tx.run('update tenants set timezone = ?', [timezone]))
      const params = {
        reportId: await harness.report({ periodStart: `${month}-01`, periodEnd: `${month}-${lastDay}` }),
      }
      const { content } = await harness.team.admin.call('dashboard', 'GET /reports/:reportId', { params })
      return /Finished: (\d+)/.exec(content ?? '')?.[1]
    }
    expect(await finished('Europe/London', '2026-03', '31')).toBe('1')
    expect(await finished('Europe/London', '2026-04', '30')).toBe('0')
    expect(await finished('Pacific/Auckland', '2026-03', '31')).toBe('0')
    expect(await finished('Pacific/Auckland', '2026-04', '30')).toBe('1')
  })
})
