import { z } from 'zod'
import type { Ctx } from '../../../kernel/context.ts'
import { dayIn } from '../../../kernel/periods.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { countInProgress } from '../../work/activities/mobile-queries.ts'
import { summariesWhere } from '../../work/activities/queries.ts'
import { listApprovalsForApp } from '../../work/approvals/mobile-queries.ts'
import { campaignHealth } from '../../work/campaigns/progress-queries.ts'
import { monthBudget } from '../costs/month.ts'
import { monthlyCap } from '../costs/queries.ts'
import { Home } from './schemas.ts'

/** How long everybody of a tenant is shown the same, milliseconds. */
const keptMs = 60_000

/** Everything of the first screen in one call, at most a minute old. Serves `GET /mobile/v1/home`. */
export async function getHome(ctx: Ctx): Promise<Home> {
  const { cache } = ctx.services
  // Nothing of it depends on who of the tenant asks.
  const key = `home:${oneTenant(ctx)}`
  const stored = await cache.get<z.input<typeof Home>>(key)
  // One that another version of this program has stored may have another shape.
  const kept = stored && Home.safeDecode(stored)
  if (kept?.success) return kept.data
  const home = await readHome(ctx)
  await cache.set(key, z.encode(Home, home), keptMs)
  return home
}

async function readHome(ctx: Ctx): Promise<Home> {
  const { timezone } = await monthlyCap(ctx)
  const [approvals, inProgress, recent, { totalUsd, ...budget }, campaigns] = await Promise.all([
    listApprovalsForApp(ctx, { 'filter.status': 'pending', limit: 3, offset: 0 }),
    countInProgress(ctx),
    summariesWhere(ctx, { sql: '1 = 1', params: [] }, 'desc', 5),
    monthBudget(ctx),
    campaignHealth(ctx, dayIn(ctx.clock.date(), timezone)),
  ])
  return {
    pendingApprovals: {
      count: approvals.pendingCount,
      highRisk: approvals.highRiskCount,
      items: approvals.data,
    },
    recentActivities: { inProgress, items: recent },
    spend: { thisMonthUsd: totalUsd, ...budget },
    campaigns,
  }
}
