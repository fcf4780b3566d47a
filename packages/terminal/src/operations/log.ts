import type { Reply } from '@copydesk/client'
import { flow, measured } from '../render/flow.ts'
import { row, span } from '../render/row.ts'
import { operation } from './operation.ts'
import { cursor, limit, more } from './paging.ts'

export type LogItem = Reply<'cli', 'GET /activities/:id/log'>['data'][number]

export const log = operation({
  name: 'log',
  summary: 'show the events of an activity, oldest first',
  effect: 'reads',
  params: {
    id: { kind: 'argument', required: true, summary: 'id of the activity', completes: 'activity' },
    limit,
    cursor,
  },
  examples: ['log 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (context, { id, ...query }) =>
    context.client.call('cli', 'GET /activities/:id/log', { params: { id }, query }),
  print: (found, { width }) => [
    ...found.data.flatMap((item) => logRows(item, width)),
    ...(found.data.length === 0 ? [row(span('There are no events yet.', 'dim'))] : []),
    ...more(found),
  ],
})

/** One entry of a log, below its time and author. */
export function logRows({ at, actor, kind, message }: LogItem, width: number) {
  const when = `${at.slice(0, 10)} ${at.slice(11, 19)}  `
  return flow([span(`${actor} `, 'strong'), span(`${kind}  `, 'dim'), span(message)], measured(width), {
    first: [span(when, 'dim')],
    rest: [span(' '.repeat(when.length))],
  })
}
