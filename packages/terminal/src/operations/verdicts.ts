import type { CallInput } from '@copydesk/client'
import { type Row, row, span } from '../paper/row.ts'
import { counted } from '../paper/words.ts'
import { LineFault } from './line.ts'
import { type Desk, type Input, operation, type Pieces } from './operation.ts'
import { approvalRows } from './touched.ts'

type Verdict = CallInput<'cli', 'POST /approvals/:id/resolve'>['body']

/** What became of one approval of several. */
interface Given {
  approvalId: string
  done: boolean
  /** Pieces of work that go on because of it. */
  woken: number
  /** Ids of the pieces of work that it has ended, where it was to. */
  ended?: string[]
  error?: string
}

const ids = { kind: 'arguments', summary: 'ids of approvals', completes: 'approval' } as const
const note = { kind: 'text', value: 'text', summary: 'told to the agent and kept with the verdict' } as const
const neededNote = { ...note, required: true, summary: 'what is wrong; the agent reads it' } as const

const missedIn = (given: readonly Given[]) => given.filter(({ done }) => !done).length

export const approve = operation({
  name: 'approve',
  summary: 'approve what waits for a verdict',
  does: 'decides',
  audience: ['staff', 'admin'],
  takes: {
    ids,
    note,
    option: { kind: 'text', value: 'text', summary: 'the option that is chosen, where a question has some' },
    hash: { kind: 'text', value: 'sha256', summary: 'only if the text is still the one with this hash' },
    edited: { kind: 'text', value: 'text', summary: 'approve this text instead, as a new version of yours' },
  },
  examples: ['approve 01J9ZX6T4QH8C3V5N7M2K0B1AD', 'approve 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "Well put"'],
  run: async (desk, { ids: approvals, note: words, option, hash, edited }, seen) => {
    if (approvals.length > 1 && (hash ?? edited) !== undefined)
      throw new LineFault('--hash and --edited are of one approval: name one', hash ? 'hash' : 'edited')
    const verdict: Verdict = {
      resolution: 'approved',
      ...(words !== undefined && { note: words }),
      ...(option !== undefined && { selectedOption: option }),
      ...(edited !== undefined && { edited }),
    }
    const only = hash === undefined ? seen : Object.fromEntries(approvals.map((id) => [id, hash]))
    return give(desk, approvals, verdict, only)
  },
  print: (given) => receipts(given, 'approved'),
  missed: missedIn,
  preview: (desk, input) => approvalRows(desk, input.ids),
  pieces: (desk, input) => hashes(desk, input),
})

export const reject = operation({
  name: 'reject',
  summary: 'turn down what waits for a verdict; its agent tries again, unless the work is ended',
  does: 'decides',
  audience: ['staff', 'admin'],
  takes: {
    ids,
    note: neededNote,
    end: {
      kind: 'flag',
      summary: 'end the work for good: nothing more is written, what depends on it ends too',
    },
  },
  examples: [
    'reject 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "Off brand"',
    'reject 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "The offer has ended" --end',
  ],
  run: (desk, { ids: approvals, note: words, end }, seen) =>
    give(desk, approvals, { resolution: 'rejected', note: words, ...(end && { endWork: true }) }, seen),
  print: (given) => receipts(given, 'rejected'),
  missed: missedIn,
  preview: async (desk, input) => [
    ...(await approvalRows(desk, input.ids)),
    row(span(afterRejection(input.end), input.end ? 'warn' : 'plain')),
  ],
  pieces: (desk, input) => hashes(desk, input),
})

export const revise = operation({
  name: 'revise',
  summary: 'send back for another version, with what should be different',
  does: 'decides',
  audience: ['staff', 'admin'],
  takes: { ids, note: neededNote },
  examples: ['revise 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "Shorter, and name the price"'],
  run: (desk, { ids: approvals, note: words }, seen) =>
    give(desk, approvals, { resolution: 'revision_requested', note: words }, seen),
  print: (given) => receipts(given, 'sent back'),
  missed: missedIn,
  preview: (desk, input) => approvalRows(desk, input.ids),
  pieces: (desk, input) => hashes(desk, input),
})

/** What happens to the work after a rejection, told before it is given. */
export function afterRejection(end: boolean): string {
  return end
    ? 'Next: the work ends for good. Nothing more is written.'
    : 'Next: its agent reads this and writes another version.'
}

/** One verdict on each, one after the other; what cannot be decided holds up nothing else, unless it is the only one. */
async function give(
  desk: Desk,
  approvals: readonly string[],
  verdict: Verdict,
  seen: Pieces = {},
): Promise<Given[]> {
  const given: Given[] = []
  for (const id of approvals) {
    const contentHash = seen[id]
    try {
      const { reEnqueuedActivities, endedActivities } = await desk.client.call(
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

function receipts(given: readonly Given[], done: string): Row[] {
  return given.map((each) =>
    each.done
      ? row(span('✔ ', 'good'), `${each.approvalId} ${done}`, span(woken(each), 'dim'))
      : row(span('✘ ', 'bad'), `${each.approvalId} `, span(each.error ?? '', 'bad')),
  )
}

function woken({ woken: agents, ended }: Given): string {
  if (ended) return `, ${counted(ended.length, 'piece of work', 'pieces of work')} ended`
  return agents > 0 ? `, ${counted(agents, 'agent')} woken` : ''
}

async function hashes(
  desk: Desk,
  { ids: approvals }: Pick<Input<{ ids: typeof ids }>, 'ids'>,
): Promise<Pieces> {
  const found = await Promise.all(
    approvals.map((id) => desk.client.call('cli', 'GET /approvals/:id', { params: { id } })),
  )
  return Object.fromEntries(
    found.flatMap(({ id, contentHash }) => (contentHash === undefined ? [] : [[id, contentHash] as const])),
  )
}
