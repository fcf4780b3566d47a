import { describe, expect, it } from 'vitest'
import { familyOf } from '../../../packages/core/src/domain/work/runs/commands/failure.ts'
import {
  at,
  type ReportedCall,
  readLines,
} from '../../../packages/core/src/domain/work/runs/commands/lines.ts'
import { type LineRule, ownLines } from '../../../packages/core/src/domain/work/runs/commands/options.ts'

function read(rules: readonly LineRule[], chunks: readonly string[]) {
  const deltas: string[] = []
  const calls: ReportedCall[] = []
  const reader = readLines(rules, {
    delta: (text) => void deltas.push(text),
    tool: (call) => void calls.push(call),
  })
  for (const chunk of chunks) reader.take(chunk)
  return { ...reader.end(), deltas, calls }
}

const line = (value: object) => `${JSON.stringify(value)}\n`

describe('readLines', () => {
  it('joins the parts of a text, wherever they are cut', () => {
    const whole = ['Spring ', 'is ', 'here'].map((text) => line({ type: 'delta', text })).join('')
    for (const size of [1, 7, 1_000]) {
      const chunks = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const { text, deltas } = read(ownLines, chunks)
      expect({ text, deltas }).toEqual({ text: 'Spring is here', deltas: ['Spring ', 'is ', 'here'] })
    }
  })

  it('takes the last whole text as the result, and streams it when there were no parts', () => {
    const { text, deltas } = read(ownLines, [
      line({ type: 'result', text: 'One' }),
      line({ type: 'result', text: 'Two' }),
    ])
    expect({ text, deltas }).toEqual({ text: 'Two', deltas: ['Two'] })
  })

  it('ignores invalid JSON and unknown messages, and reads a last line without a line break', () => {
    const chunks = [
      'Warning: old\n',
      '42\nnull\n',
      line({ type: 'other' }),
      '{"type":"result","text":"A post"}',
    ]
    expect(read(ownLines, chunks)).toMatchObject({ text: 'A post', stray: 'null', error: undefined })
  })

  it('sums up the tokens of one line, and uses the last line that has any', () => {
    const rules: LineRule[] = [{ inputTokens: ['u.in', 'u.cached'], outputTokens: 'u.out' }]
    const chunks = [
      line({ u: { in: 5, cached: 2, out: 1 } }),
      line({ u: { in: 50, out: 10 } }),
      line({ u: { in: -1, out: 'x' } }),
      line({ other: 1 }),
    ]
    expect(read(rules, chunks).usage).toEqual({ inputTokens: 50, outputTokens: 10 })
  })

  it('maps known error families only', () => {
    expect(read(ownLines, [line({ type: 'error', message: 'No', family: 'quota' })])).toMatchObject({
      error: 'No',
      family: 'quota',
    })
    expect(read(ownLines, [line({ type: 'error', message: 'No', family: 'mine' })]).family).toBeUndefined()
  })

  it('matches rules by nested values and list items', () => {
    const rules: LineRule[] = [
      { when: { 'item.kind': 'say' }, delta: 'item.parts.*.text' },
      { when: { 'list.*.kind': 'tool' }, tool: { name: 'list.0.name' } },
    ]
    const { deltas, calls } = read(rules, [
      line({ item: { kind: 'say', parts: [{ text: 'a' }, { no: 1 }, { text: 'b' }] } }),
      line({ item: { kind: 'think', parts: [{ text: 'x' }] } }),
      line({ list: [{ kind: 'tool', name: 'look_up' }] }),
    ])
    expect(deltas).toEqual(['ab'])
    expect(calls.map(({ toolName }) => toolName)).toEqual(['look_up'])
  })
})

describe('at', () => {
  it('reads own properties only', () => {
    expect(at({ a: [{ b: 1 }] }, 'a.0.b')).toBe(1)
    for (const path of ['constructor', '__proto__', 'a.length.x', 'a.1.b', 'toString'])
      expect(at({ a: [{ b: 1 }] }, path), path).toBeUndefined()
  })
})

describe('familyOf', () => {
  const command = {
    argv: ['agent'],
    exitCodes: { 3: 'refusal' as const },
    failures: [{ match: 'come back later', family: 'transient' as const }],
  }
  const family = (code: number | null, words = '') => familyOf(command, { code, words, family: undefined })

  it('prefers the command’s report, then the operator’s rule, then the default', () => {
    expect(familyOf(command, { code: 3, words: '', family: 'auth' })).toBe('auth')
    expect(family(3, 'invalid api key')).toBe('refusal')
    expect(family(1, 'Come back LATER, api key')).toBe('transient')
    expect(family(77)).toBe('auth')
    expect(family(127)).toBe('invalid')
    expect(family(1, 'whatever')).toBe('internal')
    expect(family(null, '')).toBe('internal')
  })

  it.each([
    ['Invalid API key · Please run /login', 'auth'],
    ['Not logged in', 'auth'],
    ['unexpected status 401 Unauthorized', 'auth'],
    ['Please set an Auth method in settings.json', 'auth'],
    ['429 Too Many Requests', 'quota'],
    ['Claude usage limit reached', 'quota'],
    ['Error: Overloaded', 'quota'],
    ['getaddrinfo ENOTFOUND api.example.com', 'transient'],
    ['stream error: 503 Service Unavailable', 'transient'],
  ])('maps “%s” to %s', (words, expected) => {
    expect(family(1, words)).toBe(expected)
  })
})
