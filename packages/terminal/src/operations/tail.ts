import type { EventsOf } from '@copydesk/client'
import { row, span } from '../paper/row.ts'
import { counted, lasting, usd } from '../paper/words.ts'
import { following } from './operation.ts'
import { ofTenant, onlyTenant } from './paging.ts'
import { riskTone } from './queue.ts'

type Happened = EventsOf<'cli', 'GET /events/stream'>
type Written = EventsOf<'cli', 'GET /activities/:id/stream'>
export type Tailed = Happened | Written

export const tail = following({
  name: 'tail',
  summary: 'follow what happens at your tenants, or the text of an activity as it is written',
  does: 'reads',
  takes: {
    id: { kind: 'argument', required: false, summary: 'id of an activity', completes: 'activity' },
    tenant: onlyTenant,
    after: { kind: 'text', value: 'id', summary: 'go on after the event with this id' },
  },
  examples: ['tail', 'tail 01J9ZX6T4QH8C3V5N7M2K0B1AD', 'tail --json --after 4711'],
  follow: ({ client }, { id, tenant, after }, signal): AsyncIterable<Tailed> => {
    const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
    return id === undefined
      ? client.stream('cli', 'GET /events/stream', { query: ofTenant(tenant), headers, signal })
      : client.stream('cli', 'GET /activities/:id/stream', { params: { id }, headers, signal })
  },
  print: (told) => {
    switch (told.event) {
      case 'text_delta':
        return { piece: told.data.delta }
      case 'activity_meta': {
        const { title, agentRole, status, position } = told.data
        // Taken up after a cut: the text goes on where it was.
        if (position > 0) return { lines: [] }
        return { lines: [row(span(title, 'strong'), span(`  ${agentRole ?? 'people'}, ${status}`, 'dim'))] }
      }
      case 'activity_completed': {
        const { status, wordCount, cost, durationMs } = told.data
        const facts = [status, counted(wordCount, 'word'), usd(cost), lasting(durationMs)]
        return { lines: [row(span(facts.join(', '), 'dim'))] }
      }
      case 'approval_created': {
        const { riskLevel, approvalId, title, tenantName } = told.data
        const risk = riskTone(riskLevel === 'high' || riskLevel === 'medium' ? riskLevel : 'low')
        return {
          lines: [
            row(span('? ', risk), span(approvalId, 'accent'), ` ${title}`, span(` · ${tenantName}`, 'dim')),
          ],
        }
      }
      case 'approval_expiring': {
        const { approvalId, tenantName, hoursLeft } = told.data
        const left = ` lapses in ${counted(hoursLeft, 'hour')}`
        return {
          lines: [row(span('! ', 'warn'), span(approvalId, 'accent'), left, span(` · ${tenantName}`, 'dim'))],
        }
      }
      case 'agent_error': {
        const { agentRole, error, tenantName } = told.data
        return { lines: [row(span('✘ ', 'bad'), `${agentRole}: ${error}`, span(` · ${tenantName}`, 'dim'))] }
      }
      case 'activity_blocked': {
        const { activityId, blockerType, tenantName } = told.data
        const why = ` is blocked: ${blockerType}`
        return {
          lines: [row(span('■ ', 'warn'), span(activityId, 'accent'), why, span(` · ${tenantName}`, 'dim'))],
        }
      }
      default:
        return { lines: [row(span('Some of what happened is no longer kept: look at the queue.', 'warn'))] }
    }
  },
})
