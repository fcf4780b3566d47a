import type { EventsOf } from '@copydesk/client'
import { row, span } from '../render/row.ts'
import { counted, lasting, usd } from '../render/words.ts'
import type { TenantNews } from '../team/streams.ts'
import { eventRow, type Happened, timeOf } from './event-row.ts'
import { UsageError } from './invocation.ts'
import { following } from './operation.ts'
import { ofTenant, onlyTenant } from './paging.ts'

type Written = EventsOf<'cli', 'GET /activities/:id/stream'>
export type Tailed = Happened | Written | TenantNews

const kinds = ['questions', 'runs', 'verdicts', 'deliveries', 'blockers'] as const

export const tail = following({
  name: 'tail',
  summary: 'follow the events of your tenants, or the text of an activity as it is written',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  params: {
    id: { kind: 'argument', required: false, summary: 'id of an activity', completes: 'activity' },
    tenant: onlyTenant,
    only: {
      kind: 'choices',
      value: 'kinds',
      choices: kinds,
      summary: 'only these kinds, separated by commas',
    },
    after: { kind: 'text', value: 'id', summary: 'continue after the event with this id' },
  },
  examples: [
    'tail',
    'tail --only runs,verdicts',
    'tail 01J9ZX6T4QH8C3V5N7M2K0B1AD',
    'tail --json --after 4711',
  ],
  follow: ({ client, tenant: own }, { id, tenant, only, after }, signal): AsyncIterable<Tailed> => {
    const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
    if (id !== undefined) {
      if (only) throw new UsageError('--only is for what happens at tenants, not for an activity', 'only')
      return client.stream('cli', 'GET /activities/:id/stream', { params: { id }, headers, signal })
    }
    if (only && own) throw new UsageError('--only is for reviewers and super-admins', 'only')
    const query = { ...ofTenant(tenant), ...(only && { 'filter.kind': only.join(',') }) }
    return client.stream('cli', 'GET /events/stream', { query, headers, signal })
  },
  print: (told) => {
    switch (told.event) {
      case 'text_delta':
        return { piece: told.data.delta }
      case 'activity_meta': {
        const { title, agentRole, status, position } = told.data
        // After a reconnect the text continues where it was.
        if (position > 0) return { lines: [] }
        return { lines: [row(span(title, 'strong'), span(`  ${agentRole ?? 'people'}, ${status}`, 'dim'))] }
      }
      case 'activity_completed': {
        if ('tenantId' in told.data) return { lines: [eventRow(told as Happened)] }
        const { status, wordCount, cost, durationMs } = told.data
        const facts = [status, counted(wordCount, 'word'), usd(cost), lasting(durationMs)]
        return { lines: [row(span(facts.join(', '), 'dim'))] }
      }
      case 'tenant_news': {
        const { at, type, title } = told.data
        const what = `${timeOf(at)}  · ${type.replaceAll('_', ' ')}`
        return { lines: [row(span(what, 'dim'), title === undefined ? '' : `: ${title}`)] }
      }
      default:
        return { lines: [eventRow(told)] }
    }
  },
})
