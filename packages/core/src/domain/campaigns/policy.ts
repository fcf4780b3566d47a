import type { CampaignStatus } from './entities.ts'
import { daysBetween } from './periods.ts'

export type Progress = 'on_track' | 'at_risk' | 'missed'

/**
 * How a period stands: `missed` when it is over with pieces lacking; `at_risk` when less is done or under way than the
 * share of its days that has passed; else `on_track`.
 */
export function progressOf(
  period: { periodStart: string; periodEnd: string; target: number; completed: number; inProgress: number },
  today: string,
): Progress {
  const { periodStart, periodEnd, target, completed, inProgress } = period
  if (completed >= target) return 'on_track'
  if (today > periodEnd) return 'missed'
  const passed =
    today < periodStart ? 0 : daysBetween(periodStart, today) / daysBetween(periodStart, periodEnd)
  return completed + inProgress < Math.floor(target * passed) ? 'at_risk' : 'on_track'
}

/** The dashboard knows no review statuses: it shows them as `draft`. */
export function dashboardStatus(
  status: CampaignStatus,
): 'draft' | 'active' | 'paused' | 'completed' | 'archived' {
  return status === 'dm_review' || status === 'client_review' || status === 'client_approved'
    ? 'draft'
    : status
}
