import type { Reply } from '@copydesk/client'
import { row, type StyledLine, span, type Tone } from '../render/row.ts'
import { operation } from './operation.ts'

type Shown = Reply<'dashboard', 'GET /activities/:activityId/previews'>
type Link = NonNullable<Shown['links']>[number]

const linkTones: Readonly<Record<Link['state'], Tone>> = {
  ok: 'good',
  broken: 'bad',
  unclear: 'warn',
  unchecked: 'dim',
}

export const publishPreview = operation({
  name: 'publish preview',
  summary: 'show whether a piece fits on each channel, and with --links whether its links lead somewhere',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: {
    id: { kind: 'argument', required: true, summary: 'id of the activity whose newest text is meant' },
    links: { kind: 'flag', summary: 'open the links of the text' },
  },
  examples: ['publish preview 01J9ZX6T4QH8C3V5N7M2K0B1AD --links'],
  run: ({ client }, { id: activityId, links }) =>
    client.call('dashboard', 'GET /activities/:activityId/previews', {
      params: { activityId },
      query: { ...(links && { links: 'check' }) },
    }),
  print: ({ approved, data, links }) => [
    row(approved ? span('Approved as it stands', 'good') : span('No verdict covers this text', 'warn')),
    ...data.flatMap(channelRows),
    ...(links ? [row(''), ...linkRows(links)] : []),
  ],
})

function channelRows({ channelType, connected, measures, problems }: Shown['data'][number]): StyledLine[] {
  const lengths = measures.map(({ unit, count, max }) => `${count} of ${max} ${unit}`).join(', ')
  return [
    row(
      problems.length === 0 ? span('✔ ', 'good') : span('✖ ', 'bad'),
      channelType,
      span(`${connected ? '' : '  not connected'}${lengths && `  ${lengths}`}`, 'dim'),
    ),
    ...problems.map((problem) => row(span('  → ', 'warn'), problem)),
  ]
}

function linkRows(links: readonly Link[]): StyledLine[] {
  if (links.length === 0) return [row(span('There are no links in it.', 'dim'))]
  return links.map(({ url, state, words }) =>
    row(span(state, linkTones[state]), `  ${url}`, ...(words ? [span(`  ${words}`, 'dim')] : [])),
  )
}
