import { DomainError } from '../../../kernel/errors.ts'
import { daysBetween } from '../../../kernel/periods.ts'
import { channelNames } from '../../accounts/channels/entities.ts'
import type { CampaignStatus } from './entities.ts'

export const progresses = ['on_track', 'at_risk', 'missed'] as const
type Progress = (typeof progresses)[number]

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

/** A place where pieces are published. */
export interface Platform {
  id: string
  name: string
  type: string
}

/** The platforms that a deliverable names, in its order. An id is a channel type. */
export function platformsOf(ids: readonly string[]): Platform[] {
  return ids.map((id) => ({ id, name: (channelNames as Record<string, string>)[id] ?? id, type: id }))
}

/** @throws DomainError `NOT_FOUND` naming the field, when an id is no platform */
export function requirePlatforms(ids: readonly string[], field: string): void {
  for (const [index, id] of ids.entries()) {
    if (Object.hasOwn(channelNames, id)) continue
    const known = Object.keys(channelNames).join(', ')
    throw new DomainError('NOT_FOUND', `There is no platform "${id}"; known are ${known}`, {
      field: `${field}.${index}`,
    })
  }
}
