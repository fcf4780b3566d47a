import type { Reply } from '@copydesk/client'
import { flow, measured } from '../paper/flow.ts'
import { row, span } from '../paper/row.ts'
import { operation } from './operation.ts'
import { cursor, limit, more } from './paging.ts'

export type LogItem = Reply<'cli', 'GET /activities/:id/log'>['data'][number]

export const log = operation({
  name: 'log',
  summary: 'show what has happened to an activity, oldest first',
  does: 'reads',
  takes: {
    id: { kind: 'argument', required: true, summary: 'id of the activity', completes: 'activity' },
    limit,
    cursor,
  },
  examples: ['log 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (desk, { id, ...query }) =>
    desk.client.call('cli', 'GET /activities/:id/log', { params: { id }, query }),
  print: (found, { width }) => [
    ...found.data.flatMap((item) => logRows(item, width)),
    ...(found.data.length === 0 ? [row(span('Nothing has happened yet.', 'dim'))] : []),
    ...more(found),
  ],
})

/** One entry of a log, under its time and who did it. */
export function logRows({ at, actor, kind, message }: LogItem, width: number) {
  const when = `${at.slice(0, 10)} ${at.slice(11, 19)}  `
  return flow([span(`${actor} `, 'strong'), span(`${kind}  `, 'dim'), span(message)], measured(width), {
    first: [span(when, 'dim')],
    rest: [span(' '.repeat(when.length))],
  })
}
