import type { Reply } from '@copydesk/client'
import { clean, cleanLines } from '../render/clean.ts'
import { flowText, measured } from '../render/flow.ts'
import { cutRow, emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { shorten, widthOf } from '../render/width.ts'
import { UsageError } from './invocation.ts'
import { datasetsNamed, impliedTenant, tenantHeader, tenantOf } from './knowledge.ts'
import { operation } from './operation.ts'

type Result = Reply<'tenant', 'POST /knowledge/search'>['results'][number]

/** Limits of the server. */
const mostDatasets = 20
const mostResults = 20

/** Columns that the name of a file keeps. */
const leastName = 16
/** Lines that a result shows of its text. */
const linesShown = 4

export const kbSearch = operation({
  name: 'kb search',
  summary: 'search the files of a tenant by words and by meaning; needs a login with a password',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  needsLogin: true,
  params: {
    query: { kind: 'argument', required: true, summary: 'what to look for' },
    tenant: impliedTenant,
    dataset: { kind: 'list', value: 'datasets', summary: 'only these datasets, by name or id' },
    top: {
      kind: 'number',
      value: 'count',
      min: 1,
      max: mostResults,
      summary: 'maximum number of results (5)',
    },
    words: { kind: 'flag', summary: 'by words only' },
    meaning: { kind: 'flag', summary: 'by meaning only' },
  },
  examples: [
    'kb search "delivery times"',
    'kb search "delivery times" --tenant rye.example --dataset client-documents --top 3',
  ],
  needsTenant: () => true,
  run: async ({ client }, { query, tenant: named, dataset, top, words, meaning }) => {
    const tenant = tenantOf('kb search', named)
    if (words && meaning) throw new UsageError('--words and --meaning exclude each other', 'meaning')
    const datasets = await datasetsNamed(client, tenant, dataset)
    if (datasets.length === 0) throw new UsageError('The tenant has no datasets', 'tenant')
    if (datasets.length > mostDatasets)
      throw new UsageError(`--dataset must name the datasets to search, at most ${mostDatasets}`, 'dataset')
    return client.call('tenant', 'POST /knowledge/search', {
      ...tenantHeader(tenant),
      body: {
        query,
        datasetIds: datasets.map(({ id }) => id),
        ...(top !== undefined && { topK: top }),
        ...(words && { hybridAlpha: 0 }),
        ...(meaning && { hybridAlpha: 1 }),
      },
    })
  },
  print: ({ results }, { width }) =>
    results.length === 0
      ? [row(span('Nothing was found.', 'dim'))]
      : results.flatMap((result, index) => [
          ...(index === 0 ? [] : [emptyRow]),
          ...resultRows(result, index + 1, measured(width)),
        ]),
})

function resultRows(result: Result, place: number, width: number): StyledLine[] {
  const { fileName, score, content, metadata } = result
  const { heading, pageNumber, url } = metadata
  const where = [heading, pageNumber === undefined ? undefined : `page ${pageNumber}`].filter(
    (part) => part !== undefined,
  )
  const number = `${place}. `
  const margin: StyledLine = [span(' '.repeat(number.length))]
  const lines = cleanLines(content)
    .filter((line) => line.trim() !== '')
    .slice(0, linesShown + 1)
    .flatMap((line) => flowText(line.trim(), width, { first: margin, rest: margin }))
  const [inFile, rank] = [where.map((part) => ` › ${part}`).join(''), `  ${score.toFixed(2)}`]
  // A long name is shortened, so that the rest of the line stays.
  const room = Math.max(leastName, width - widthOf(number + clean(inFile) + rank))
  const name = span(shorten(clean(fileName), room), 'strong')
  const head = cutRow(row(span(number, 'dim'), name, span(inFile, 'accent')), width - widthOf(rank))
  return [
    [...head, span(rank, 'dim')],
    ...(url === undefined ? [] : [cutRow([...margin, span(url, 'dim')], width)]),
    ...lines.slice(0, linesShown),
    ...(lines.length > linesShown ? [[...margin, span('…', 'dim')]] : []),
  ]
}
