import type { CallInput } from '@copydesk/client'
import { row, type StyledLine, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { UsageError } from './invocation.ts'
import { type ContentHashes, type Input, type OperationContext, operation } from './operation.ts'
import { approvalRows } from './show-rows.ts'

type Verdict = CallInput<'cli', 'POST /approvals/:id/resolve'>['body']

/** The outcome of a verdict on one of several approvals. */
interface Given {
  approvalId: string
  done: boolean
  /** Activities that continue because of it. */
  woken: number
  /** Ids of the activities that were cancelled with it. */
  ended?: string[]
  error?: string
}

const ids = { kind: 'arguments', summary: 'ids of approvals', completes: 'approval' } as const
const note = { kind: 'text', value: 'text', summary: 'note for the agent, stored with the verdict' } as const
const neededNote = { ...note, required: true, summary: 'what is wrong; the agent reads it' } as const

const missedIn = (given: readonly Given[]) => given.filter(({ done }) => !done).length

/** The value of `--hash` for an approval that shows no text. */
export const noText = 'none'

export const approve = operation({
  name: 'approve',
  summary: 'approve pending approvals',
  effect: 'decides',
  audience: ['staff', 'admin'],
  params: {
    ids,
    note,
    option: { kind: 'text', value: 'text', summary: 'the chosen option, when an approval offers some' },
    hash: {
      kind: 'text',
      value: 'sha256',
      summary: `only if the text still has this hash; ${noText}: only if no text is shown yet`,
    },
    edited: { kind: 'text', value: 'text', summary: 'approve this text instead, as a new version of yours' },
  },
  examples: ['approve 01J9ZX6T4QH8C3V5N7M2K0B1AD', 'approve 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "Well put"'],
  run: async (context, { ids: approvals, note: words, option, hash, edited }, seen) => {
    if (approvals.length > 1 && (hash ?? edited) !== undefined)
      throw new UsageError('--hash and --edited are of one approval: name one', hash ? 'hash' : 'edited')
    const verdict: Verdict = {
      resolution: 'approved',
      ...(words !== undefined && { note: words }),
      ...(option !== undefined && { selectedOption: option }),
      ...(edited !== undefined && { edited }),
    }
    const named = hash === noText ? null : hash
    const only = named === undefined ? seen : Object.fromEntries(approvals.map((id) => [id, named]))
    return give(context, approvals, verdict, only)
  },
  print: (given) => receipts(given, 'approved'),
  failureCount: missedIn,
  preview: (context, input) => approvalRows(context, input.ids),
  contentHashes: (context, input) => hashes(context, input),
})

export const reject = operation({
  name: 'reject',
  summary: 'reject pending approvals; the agent writes another version, unless --end is given',
  effect: 'decides',
  audience: ['staff', 'admin'],
  params: {
    ids,
    note: neededNote,
    end: {
      kind: 'flag',
      summary:
        'cancel the activity for good: no further version is written, and dependent activities are cancelled too',
    },
  },
  examples: [
    'reject 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "Off brand"',
    'reject 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "The offer has ended" --end',
  ],
  run: (context, { ids: approvals, note: words, end }, seen) =>
    give(context, approvals, { resolution: 'rejected', note: words, ...(end && { endWork: true }) }, seen),
  print: (given) => receipts(given, 'rejected'),
  failureCount: missedIn,
  preview: async (context, input) => [
    ...(await approvalRows(context, input.ids)),
    row(span(afterRejection(input.end), input.end ? 'warn' : 'plain')),
  ],
  contentHashes: (context, input) => hashes(context, input),
})

export const revise = operation({
  name: 'revise',
  summary: 'request a revision, with a note on what should be different',
  effect: 'decides',
  audience: ['staff', 'admin'],
  params: { ids, note: neededNote },
  examples: ['revise 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "Shorter, and name the price"'],
  run: (context, { ids: approvals, note: words }, seen) =>
    give(context, approvals, { resolution: 'revision_requested', note: words }, seen),
  print: (given) => receipts(given, 'revision requested'),
  failureCount: missedIn,
  preview: (context, input) => approvalRows(context, input.ids),
  contentHashes: (context, input) => hashes(context, input),
})

/** The consequence of a rejection, shown before the confirmation. */
export function afterRejection(end: boolean): string {
  return end
    ? 'Next: the activity is cancelled for good. No further version is written.'
    : 'Next: its agent reads the note and writes another version.'
}

/**
 * The same verdict on each approval, one by one; a failure does not prevent the others, and is thrown when
 * there is only one approval.
 */
async function give(
  context: OperationContext,
  approvals: readonly string[],
  verdict: Verdict,
  seen: ContentHashes = {},
): Promise<Given[]> {
  const given: Given[] = []
  for (const id of approvals) {
    const contentHash = seen[id]
    try {
      const { reEnqueuedActivities, endedActivities } = await context.client.call(
        'cli',
        'POST /approvals/:id/resolve',
        {
          params: { id },
          body: contentHash === undefined ? verdict : { ...verdict, contentHash },
        },
      )
      given.push({
        approvalId: id,
        done: true,
        woken: reEnqueuedActivities,
        ...(endedActivities && { ended: endedActivities }),
      })
    } catch (error) {
      if (approvals.length === 1) throw error
      given.push({ approvalId: id, done: false, woken: 0, error: (error as Error).message })
    }
  }
  return given
}

function receipts(given: readonly Given[], done: string): StyledLine[] {
  return given.map((each) =>
    each.done
      ? row(span('✔ ', 'good'), `${each.approvalId} ${done}`, span(woken(each), 'dim'))
      : row(span('✘ ', 'bad'), `${each.approvalId} `, span(each.error ?? '', 'bad')),
  )
}

function woken({ woken: agents, ended }: Given): string {
  if (ended) return `, ${counted(ended.length, 'activity', 'activities')} ended`
  return agents > 0 ? `, ${counted(agents, 'agent')} woken` : ''
}

async function hashes(
  context: OperationContext,
  { ids: approvals }: Pick<Input<{ ids: typeof ids }>, 'ids'>,
): Promise<ContentHashes> {
  const found = await Promise.all(
    approvals.map((id) => context.client.call('cli', 'GET /approvals/:id', { params: { id } })),
  )
  return Object.fromEntries(found.map(({ id, contentHash = null }) => [id, contentHash] as const))
}
