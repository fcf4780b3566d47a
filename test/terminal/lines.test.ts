import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { followings, operations, parseInvocation } from '../../packages/terminal/src/operations/catalogue.ts'
import {
  checkInput,
  readInput,
  slashLine,
  UsageError,
  wordsOf,
} from '../../packages/terminal/src/operations/invocation.ts'
import type {
  AnyFollowing,
  AnyOperation,
  Parameter,
} from '../../packages/terminal/src/operations/operation.ts'

const id = '01J9ZX6T4QH8C3V5N7M2K0B1AD'
const other = '01J9ZX6T4QH8C3V5N7M2K0B1AE'

/** Every form that the server proposes, and what it means. */
const forms: ReadonlyArray<[line: string, name: string, input: Record<string, unknown>]> = [
  ['/status', 'status', { all: false, busy: false }],
  [`/status --tenant ${id}`, 'status', { tenant: id, all: false, busy: false }],
  ['/queue', 'queue', {}],
  ['/queue --status all --type blog_post', 'queue', { status: 'all', type: 'blog_post' }],
  [
    `/queue --status failed --agent blog_writer --tenant ${id}`,
    'queue',
    { status: 'failed', agent: 'blog_writer', tenant: id },
  ],
  ['/feed', 'feed', {}],
  [`/show ${id}`, 'show', { ids: [id] }],
  [`/log ${id}`, 'log', { id }],
  ['/tail', 'tail', {}],
  [`/tail ${id}`, 'tail', { id }],
  ['/agents', 'agents', {}],
  [`/agents --tenant ${id}`, 'agents', { tenant: id }],
  [`/queues --tenant ${id}`, 'queues', { tenant: id }],
  [
    '/cost --from 2026-04-01 --to 2026-04-30 --by model',
    'cost',
    { from: '2026-04-01', to: '2026-04-30', by: 'model' },
  ],
  ['/tenants --search "hearth & oat"', 'tenants', { search: 'hearth & oat' }],
  [`/approve ${id} ${other} --note "Well \\"put\\""`, 'approve', { ids: [id, other], note: 'Well "put"' }],
  [`/approve ${id} --option "The second"`, 'approve', { ids: [id], option: 'The second' }],
  [`/reject ${id} --note "Off brand"`, 'reject', { ids: [id], note: 'Off brand', end: false }],
  [`/revise ${id} --note "A \\\\ B"`, 'revise', { ids: [id], note: 'A \\ B' }],
  [`/bulk approve --ids ${id},${other}`, 'bulk', { action: 'approve', ids: [id, other], dryRun: false }],
  [
    `/bulk reject --type content_review --risk low --tenant ${id} --older 120 --note "Too late"`,
    'bulk',
    {
      action: 'reject',
      type: 'content_review',
      risk: 'low',
      tenant: id,
      older: 120,
      note: 'Too late',
      dryRun: false,
    },
  ],
  [
    `/escalate ${id} --risk high --reason "Names a rival"`,
    'escalate',
    { id, risk: 'high', reason: 'Names a rival' },
  ],
  [`/forward ${id} --note "Is it right?"`, 'forward', { id, note: 'Is it right?', urgent: false }],
  [`/claim ${id}`, 'claim', { id }],
  [`/release ${id}`, 'release', { id }],
  [`/pause ${id} --reason "Wait"`, 'pause', { target: id, reason: 'Wait' }],
  [`/pause blog_writer --tenant ${id}`, 'pause', { target: 'blog_writer', tenant: id }],
  [`/resume ${id}`, 'resume', { target: id }],
  [`/resume blog_writer --tenant ${id}`, 'resume', { target: 'blog_writer', tenant: id }],
  [`/retry ${id}`, 'retry', { id }],
  [`/cancel ${id} --reason "It has ended"`, 'cancel', { id, reason: 'It has ended' }],
  [
    `/run blog_writer "Write about ovens" --tenant ${id} --title "Ovens"`,
    'run',
    { role: 'blog_writer', prompt: 'Write about ovens', tenant: id, title: 'Ovens' },
  ],
  [`/snooze ${id} --until 2026-04-11T09:00:00.000Z`, 'snooze', { id, until: '2026-04-11T09:00:00.000Z' }],
  [`/dismiss ${id}`, 'dismiss', { id }],
  [
    '/campaign create --brief b.md --deliverable blog_post=2,ad_copy=1 --deliverable social_post=3',
    'campaign create',
    { brief: 'b.md', deliverable: ['blog_post=2', 'ad_copy=1', 'social_post=3'] },
  ],
  [`/campaign show ${id}`, 'campaign show', { id }],
  ['/kb list', 'kb list', {}],
  [`/kb files client-documents --tenant ${id}`, 'kb files', { dataset: 'client-documents', tenant: id }],
  [
    `/kb search "delivery times" --tenant ${id} --dataset website,${other} --top 3 --words`,
    'kb search',
    {
      query: 'delivery times',
      tenant: id,
      dataset: ['website', other],
      top: 3,
      words: true,
      meaning: false,
    },
  ],
]

describe('readLine', () => {
  it.each(forms)('parses %s', (line, name, input) => {
    const { operation, input: read } = parseInvocation(line)
    expect(operation.name).toBe(name)
    expect(read).toEqual(input)
    expect(parseInvocation(slashLine(operation, read))).toEqual({ operation, input: read })
  })

  it.each([
    ['/frobnicate', /no command/],
    ['/show', /needs <ids>/],
    ['/cancel 1', /needs --reason/],
    ['/queue --status open', /must be one of/],
    ['/bulk approve --older soon', /whole number/],
    ['/queue --colour red', /no option/],
    ['/claim 1 2', /does not take/],
    ['/approve "1', /not closed/],
  ])('rejects %s with a reason', (line, reason) => {
    expect(() => parseInvocation(line)).toThrow(UsageError)
    expect(() => parseInvocation(line)).toThrow(reason)
  })

  it('takes words after -- literally', () => {
    expect(parseInvocation(`/comment ${id} -- --force`).input).toEqual({ id, text: '--force' })
  })
})

describe('slashLine', () => {
  it('formats a line that parses to the same input, whatever it contains', () => {
    const everything = [...operations, ...followings]
    fc.assert(
      fc.property(
        fc.constantFrom(...everything).chain((each) => fc.tuple(fc.constant(each), inputOf(each))),
        ([each, input]) => {
          const line = slashLine(each, input)
          expect(parseInvocation(line)).toEqual({ operation: each, input: checkInput(each, input) })
          expect(readInput(each, wordsOf(line).slice(each.name.split(' ').length))).toEqual(
            checkInput(each, input),
          )
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('checkInput', () => {
  it.each([
    ['bulk', { action: 'approve', older: '120' }],
    ['bulk', { action: 'burn' }],
    ['approve', { ids: [] }],
    ['approve', { ids: [7] }],
    ['claim', { id: ['x'] }],
    ['claim', { id: 'x', force: true }],
  ])('rejects for %s invalid input of a program: %o', (name, input) => {
    const found = operations.find((each) => each.name === name)
    expect(() => checkInput(found as AnyOperation, input)).toThrow(UsageError)
  })
})

/** What an operation could be called with. */
function inputOf(each: AnyOperation | AnyFollowing): fc.Arbitrary<Record<string, unknown>> {
  const known = Object.entries(each.params).map(([name, parameter]) => [name, valueOf(parameter)] as const)
  const needed = Object.entries(each.params)
    .filter(
      ([, parameter]) =>
        parameter.kind.startsWith('arg') || parameter.kind === 'choice argument' || 'required' in parameter,
    )
    .map(([name]) => name)
  return fc.record(Object.fromEntries(known), { requiredKeys: needed as never[] })
}

function valueOf(parameter: Parameter): fc.Arbitrary<unknown> {
  switch (parameter.kind) {
    case 'arguments':
      return fc.array(fc.string(), { minLength: 1, maxLength: 4 })
    case 'list':
      return fc.array(fc.stringMatching(/^[A-Z0-9]+$/), { minLength: 1, maxLength: 4 })
    case 'choices':
      return fc.subarray([...parameter.choices], { minLength: 1 })
    case 'number':
      return fc.integer({ min: parameter.min, max: parameter.max })
    case 'choice':
    case 'choice argument':
      return fc.constantFrom(...parameter.choices)
    case 'flag':
      return fc.boolean()
    default:
      return fc.string()
  }
}
