import type { CallInput, Reply } from '@copydesk/client'
import { tenantNaming } from '../account/tenant-named.ts'
import { type Column, row, type StyledLine, span, tableOf } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { UsageError } from './invocation.ts'
import {
  type ContentHashes,
  type Input,
  type OperationContext,
  operation,
  type RenderOptions,
} from './operation.ts'
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
  action: { kind: 'choice argument', choices: ['approve', 'reject'], summary: 'the verdict for all' },
  ids: { kind: 'list', value: 'ids', summary: 'these approvals, separated by commas' },
  type: { kind: 'choice', choices: types, summary: 'approvals of this type' },
  risk: { kind: 'choice', choices: ['low', 'medium', 'high'], summary: 'approvals of this risk' },
  tenant: { ...onlyTenant, summary: `approvals of this tenant: ${tenantNaming}` },
  older: { kind: 'number', value: 'minutes', min: 0, max: 525_600, summary: 'approvals that are older' },
  note: { kind: 'text', value: 'text', summary: 'note for the agents; required to reject' },
  dryRun: { kind: 'flag', summary: 'only show which approvals would be decided' },
} as const

export const bulk = operation({
  name: 'bulk',
  summary: 'give one verdict on up to 500 approvals, by ids or by a filter',
  effect: 'decides',
  params: takes,
  examples: [
    'bulk approve --risk low --older 120 --dry-run',
    'bulk reject --ids 01J9ZX6T4QH8C3V5N7M2K0B1AD,01J9ZX6T4QH8C3V5N7M2K0B1AE --note "The offer has ended"',
  ],
  run: (context, input, seen) => decide(context, input, input.dryRun, seen),
  print: (receipt, renderOptions) => receiptRows(receipt, renderOptions),
  resolveInput: async (context, input) => {
    if (input.ids || input.dryRun) return input
    const ids = decidable(await decide(context, input, true))
    const { action, note, dryRun } = input
    const named = { type: undefined, risk: undefined, tenant: undefined, older: undefined, ids }
    return ids.length === 0 ? input : { action, note, dryRun, ...named }
  },
  failureCount: ({ items }) => items.filter(({ result }) => result === 'error').length,
  preview: async (context, input) => receiptRows(await decide(context, input, true), { width: 100 }),
  contentHashes: async (context, input) => hashesIn(await decide(context, input, true)),
})

/** The approvals of a dry run that would be decided. */
export function decidable({ items }: MatchingReceipt): string[] {
  return items.flatMap(({ result, approvalId }) => (result === 'resolved' ? [approvalId] : []))
}

/** The texts that a dry run has shown, of those too that cannot be decided now. */
export function hashesIn({ items }: MatchingReceipt): ContentHashes {
  return Object.fromEntries(items.map(({ approvalId, contentHash = null }) => [approvalId, contentHash]))
}

function decide(
  context: OperationContext,
  input: Input<typeof takes>,
  dryRun: boolean,
  seen: ContentHashes = {},
): Promise<MatchingReceipt> {
  // A filter can match what was not seen.
  const named = Object.entries(seen).filter(([id]) => input.ids?.includes(id))
  const contentHashes = named.length > 0 ? { contentHashes: Object.fromEntries(named) } : {}
  const body = { ...matching(input), dryRun, ...contentHashes }
  return context.client.call('cli', 'POST /approvals/bulk-resolve', { body })
}

/** @throws UsageError when both or neither of ids and a filter are given, or a rejection has no note */
function matching({ action, ids, type, risk, tenant, older, note }: Input<typeof takes>): Matching {
  const filter = {
    ...(type && { type }),
    ...(risk && { riskLevel: risk }),
    ...(tenant !== undefined && { tenantId: tenant }),
    ...(older !== undefined && { ageMinutesGt: older }),
  }
  const isFiltered = Object.keys(filter).length > 0
  if (ids && isFiltered) throw new UsageError('Give either --ids or a filter, not both', 'ids')
  if (!ids && !isFiltered)
    throw new UsageError('Give --ids, or a filter with --type, --risk, --tenant or --older')
  if (action === 'reject' && !note) throw new UsageError('bulk reject needs --note', 'note')
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
  { width }: Pick<RenderOptions, 'width'>,
): StyledLine[] {
  const errors = items.filter(({ result }) => result === 'error').length
  const total = dryRun
    ? `${counted(matched, 'approval')} would be decided; nothing has changed`
    : `${resolved} of ${matched} decided, ${skipped} skipped, ${errors} failed`
  const list = items.length > 0 ? tableOf(columns, items, width) : []
  return [...list, row(span(total, errors > 0 ? 'warn' : 'strong'))]
}
