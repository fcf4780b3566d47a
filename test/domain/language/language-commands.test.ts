import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SlashCommand, toSlash } from '../../../packages/core/src/domain/language/commands.ts'
import { plain } from '../../../packages/language/src/plain.ts'
import { hostileTexts } from '../../kit/fuzz/hostile-texts.ts'
import { parseSlash, toFields } from './slash.ts'

const id = fc.stringMatching(/^0[0-9A-HJKMNP-TV-Z]{25}$/)
const words = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.constantFrom(...hostileTexts.filter((text) => text.length < 3_000)),
  )
  .map((text) => plain(text))
  .filter((text) => text !== '')
const role = fc.constantFrom('social_writer', 'auditor')
const ids = fc.array(id, { minLength: 1, maxLength: 4 })
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
const day = fc.constantFrom('2026-04-01', '2025-12-31')

const commands: fc.Arbitrary<object> = fc
  .oneof(
    fc.record({ name: fc.constantFrom('status', 'agents', 'queues'), tenant: maybe(id) }),
    fc.record({
      name: fc.constant('queue'),
      status: maybe(fc.constantFrom('failed', 'all')),
      agent: maybe(role),
      tenant: maybe(id),
    }),
    fc.record({
      name: fc.constantFrom('show', 'log', 'tail', 'claim', 'release', 'retry', 'dismiss', 'resume'),
      id,
    }),
    fc.record({
      name: fc.constant('cost'),
      tenant: maybe(id),
      from: maybe(day),
      to: maybe(day),
      by: maybe(fc.constant('agent')),
    }),
    fc.record({ name: fc.constant('tenants'), search: maybe(words) }),
    fc.record({ name: fc.constant('approve'), ids, note: maybe(words), option: maybe(words) }),
    fc.record({ name: fc.constantFrom('reject', 'revise'), ids, note: words }),
    fc.record({
      name: fc.constant('bulk'),
      action: fc.constantFrom('approve', 'reject'),
      ids: maybe(ids),
      risk: maybe(fc.constant('low')),
      tenant: maybe(id),
      older: maybe(fc.integer({ min: 0, max: 525_600 })),
      note: maybe(words),
    }),
    fc.record({ name: fc.constant('escalate'), id, risk: fc.constant('high'), reason: words }),
    fc.record({ name: fc.constant('pause'), id, reason: maybe(words) }),
    fc.record({ name: fc.constant('pause'), role, tenant: id, reason: maybe(words) }),
    fc.record({
      name: fc.constant('run'),
      role,
      prompt: words,
      tenant: id,
      title: maybe(words.filter((text) => text.length < 200)),
    }),
    fc.record({ name: fc.constant('snooze'), id, until: fc.constant('2026-04-11T08:00:00.000Z') }),
  )
  .map((command) => Object.fromEntries(Object.entries(command).filter(([, value]) => value !== undefined)))

describe('a slash command', () => {
  it('is parsed back to its input, whatever its words are', () => {
    fc.assert(
      fc.property(commands, (given) => {
        const command = SlashCommand.parse(given)
        expect(toFields(parseSlash(toSlash(command)))).toEqual(given)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is one line in which no word becomes an option or another command', () => {
    const note = 'ok" --tenant X\n/bulk approve \\" --ids 1'
    const line = toSlash({ name: 'reject', ids: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'], note })
    expect(line).toBe(
      String.raw`/reject 01ARZ3NDEKTSV4RRFFQ69G5FAV --note "ok\" --tenant X /bulk approve \\\" --ids 1"`,
    )
    expect(parseSlash(line)).toEqual({
      name: 'reject',
      args: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'],
      options: { note: 'ok" --tenant X /bulk approve \\" --ids 1' },
    })
  })
})
