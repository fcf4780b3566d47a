import type { EventsOf } from '@copydesk/client'
import { row, type StyledLine, span, type Tone } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { riskTone } from './queue.ts'

export type Happened = EventsOf<'cli', 'GET /events/stream'>

interface Words {
  mark: string
  tone: Tone
  /** What happened, and the title of its subject. */
  what: string
  title?: string | undefined
  /** The ids by which commands refer to it. */
  id: string | null
}

/** An event of a tenant as a line: time, tenant, event, subject. */
export function eventRow(happened: Happened): StyledLine {
  if (happened.event === 'resync')
    return row(span('Some events are no longer stored: look at the queue.', 'warn'))
  const { at, tenantName } = happened.data
  const words = wordsOf(happened)
  if (words === undefined) return row(span(`${timeOf(at)}  ${tenantName}: ${happened.event}`, 'dim'))
  const { mark, tone, what, title, id } = words
  return row(
    span(`${timeOf(at)}  `, 'dim'),
    span(`${mark} `, tone),
    span(tenantName, 'strong'),
    `: ${what}${title === undefined ? '' : `: ${title}`}`,
    ...(id === null ? [] : [span(`  ${id}`, 'accent')]),
  )
}

export const timeOf = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 19)}`

const decided: Readonly<Record<string, string>> = {
  approved: 'approved',
  rejected: 'rejected',
  revision_requested: 'revision requested',
}

/** @returns undefined for an event type of a newer server */
function wordsOf(happened: Exclude<Happened, { event: 'resync' }>): Words | undefined {
  switch (happened.event) {
    case 'approval_created': {
      const { riskLevel, title, approvalId } = happened.data
      const risk = riskTone(riskLevel === 'high' || riskLevel === 'medium' ? riskLevel : 'low')
      return { mark: '?', tone: risk, what: `question, ${riskLevel} risk`, title, id: approvalId }
    }
    case 'approval_expiring': {
      const { hoursLeft, title, approvalId } = happened.data
      const what = `approval expires in ${counted(hoursLeft, 'hour')}`
      return { mark: '!', tone: 'warn', what, title, id: approvalId }
    }
    case 'approval_resolved': {
      const { resolvedBy, resolution, title, approvalId } = happened.data
      const what = `${resolvedBy.name} ${decided[resolution] ?? resolution}`
      const tone = resolution === 'approved' ? 'good' : 'warn'
      return { mark: '✔', tone, what, title, id: approvalId }
    }
    case 'activity_started': {
      const { agentRole, title, activityId } = happened.data
      return { mark: '▶', tone: 'dim', what: `${agentRole} started a run`, title, id: activityId }
    }
    case 'run_completed': {
      const { agentRole, title, activityId } = happened.data
      return { mark: '▪', tone: 'dim', what: `${agentRole} finished a run`, title, id: activityId }
    }
    case 'run_failed': {
      const { agentRole, error, title, activityId } = happened.data
      const why = error === undefined ? '' : ` (${error})`
      return { mark: '✘', tone: 'bad', what: `a run of ${agentRole} failed${why}`, title, id: activityId }
    }
    case 'activity_completed': {
      const { title, activityId } = happened.data
      return { mark: '✔', tone: 'good', what: 'activity done', title, id: activityId }
    }
    case 'report_delivered': {
      const { deliveredBy, title, reportId } = happened.data
      return { mark: '✔', tone: 'good', what: `report sent by ${deliveredBy}`, title, id: reportId }
    }
    case 'activity_blocked': {
      const { reason, blockerType, title, activityId } = happened.data
      const what = `activity is blocked (${reason ?? blockerType.replaceAll('_', ' ')})`
      return { mark: '■', tone: 'warn', what, title, id: activityId }
    }
    case 'agent_error': {
      const { agentRole, error, activityId } = happened.data
      return { mark: '✘', tone: 'bad', what: `${agentRole} is in error`, title: error, id: activityId }
    }
    default:
      return undefined
  }
}
