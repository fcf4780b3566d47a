import { reviewerOf } from './app.ts'
import type { Press } from './publishing.ts'

/**
 * Has a monthly report of the tenant written.
 * @returns the lines of “What became of it”; undefined where it has no such part
 */
export async function outcomesInReport(
  { admin, app, clock, team }: Press,
  span: { periodStart: string; periodEnd: string; campaignIds?: string[] },
): Promise<string[] | undefined> {
  const body = { tenantId: team.tenantId, type: 'monthly_performance' as const, ...span }
  const { reportId } = await app.copydesk.as(reviewerOf(team)).call('dm.reports.create', { body })
  const content = await app.until(async () => {
    clock.advance(1_000)
    return (await admin.call('dashboard.reports.get', { params: { reportId } })).content ?? undefined
  }, 'it is written')
  return /## What became of it\n\n((?:- .*\n)+)/.exec(content)?.[1]?.trim().split('\n')
}
