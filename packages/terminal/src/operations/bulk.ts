import type { CallInput, Reply } from '@copydesk/client'
import { tenantNaming } from '../account/tenant-named.ts'
import { type Column, type Row, row, span, tableOf } from '../paper/row.ts'
import { counted } from '../paper/words.ts'
import { LineFault } from './line.ts'
import { type Desk, type Input, operation, type Paper } from './operation.ts'
import { onlyTenant } from './paging.ts'

type Matching = CallInput<'cli', 'POST /approvals/bulk-resolve'>['body']
export type MatchingReceipt = Reply<'cli', 'POST /approvals/bulk-resolve'>
type Item = MatchingReceipt['items'][number]

const types = [
  'content_review',
  'content_direction',
  'brand_direction',
  'strategy_change',
  'channel_action',
  'budget_authorization',
] as const

const takes = {
  action: { kind: 'choice argument', choices: ['approve', 'reject'], summary: 'the one verdict on all' },
  ids: { kind: 'list', value: 'ids', summary: 'exactly these, parted by commas' },
  type: { kind: 'choice', choices: types, summary: 'those of this type' },
  risk: { kind: 'choice', choices: ['low', 'medium', 'high'], summary: 'those of this risk' },
  tenant: { ...onlyTenant, summary: `those of this tenant: ${tenantNaming}` },
  older: { kind: 'number', value: 'minutes', min: 0, max: 525_600, summary: 'those asked longer ago' },
  note: { kind: 'text', value: 'text', summary: 'told to the agents; needed to reject' },
  dryRun: { kind: 'flag', summary: 'only show what would be decided' },
} as const

export const bulk = operation({
  name: 'bulk',
  summary: 'give one verdict on all approvals that are named or match, 500 at the most',
  does: 'decides',
  takes,
  examples: [
    'bulk approve --risk low --older 120 --dry-run',
    'bulk reject --ids 01J9ZX6T4QH8C3V5N7M2K0B1AD,01J9ZX6T4QH8C3V5N7M2K0B1AE --note "The offer has ended"',
  ],
  run: (desk, input) => decide(desk, input, input.dryRun),
  print: (receipt, paper) => receiptRows(receipt, paper),
  settled: async (desk, input) => {
    if (input.ids || input.dryRun) return input
    const ids = decidable(await decide(desk, input, true))
    const { action, note, dryRun } = input
    const named = { type: undefined, risk: undefined, tenant: undefined, older: undefined, ids }
    return ids.length === 0 ? input : { action, note, dryRun, ...named }
  },
  missed: ({ items }) => items.filter(({ result }) => result === 'error').length,
  preview: async (desk, input) => receiptRows(await decide(desk, input, true), { width: 100 }),
})

/** Of a dry run, those that the verdict would be on. */
export function decidable({ items }: MatchingReceipt): string[] {
  return items.flatMap(({ result, approvalId }) => (result === 'resolved' ? [approvalId] : []))
}

function decide(desk: Desk, input: Input<typeof takes>, dryRun: boolean): Promise<MatchingReceipt> {
  return desk.client.call('cli', 'POST /approvals/bulk-resolve', { body: { ...matching(input), dryRun } })
}

/** @throws LineFault when both or neither of ids and a filter are given, or a rejection says nothing */
function matching({ action, ids, type, risk, tenant, older, note }: Input<typeof takes>): Matching {
  const filter = {
    ...(type && { type }),
    ...(risk && { riskLevel: risk }),
    ...(tenant !== undefined && { tenantId: tenant }),
    ...(older !== undefined && { ageMinutesGt: older }),
  }
  const isFiltered = Object.keys(filter).length > 0
  if (ids && isFiltered)
    throw new LineFault('Name approvals by --ids or say what they match, not both', 'ids')
  if (!ids && !isFiltered)
    throw new LineFault(
      'Name approvals by --ids, or say by --type, --risk, --tenant or --older what they match',
    )
  if (action === 'reject' && !note) throw new LineFault('bulk reject needs --note', 'note')
  return { action, ...(ids ? { ids } : { filter }), ...(note !== undefined && { note }) }
}

const columns: ReadonlyArray<Column<Item>> = [
  { title: '', cell: ({ result }) => ({ resolved: '✔', skipped: '·', error: '✘' })[result] },
  { title: 'approval', cell: ({ approvalId }) => approvalId, tone: () => 'accent' },
  { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8 },
  { title: 'title', cell: ({ title }) => title, least: 12 },
  { title: '', cell: ({ error }) => error ?? '', tone: () => 'bad', least: 12 },
]

function receiptRows(
  { dryRun, matched, resolved, skipped, items }: MatchingReceipt,
  { width }: Pick<Paper, 'width'>,
): Row[] {
  const errors = items.filter(({ result }) => result === 'error').length
  const total = dryRun
    ? `${counted(matched, 'approval')} would be decided; nothing has changed`
    : `${resolved} of ${matched} decided, ${skipped} skipped, ${errors} failed`
  const list = items.length > 0 ? tableOf(columns, items, width) : []
  return [...list, row(span(total, errors > 0 ? 'warn' : 'strong'))]
}
