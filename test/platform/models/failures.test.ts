import { describe, expect, it } from 'vitest'
import { OutboundError } from '../../../packages/core/src/platform/http/outbound-error.ts'
import { toModelError } from '../../../packages/core/src/platform/models/failures.ts'
import { parseRetryAfter } from '../../../packages/core/src/platform/models/families.ts'
import { ModelError } from '../../../packages/core/src/platform/models/port.ts'

const now = Date.UTC(2026, 0, 5, 12, 0, 0)

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['30', 30_000],
    ['1.5', 1500],
    ['Mon, 05 Jan 2026 12:01:00 GMT', 60_000],
    ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('parses %j as %j milliseconds', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms)
  })
})

describe('toModelError', () => {
  const about = { provider: 'p1', now }
  const coded = (code: string) => Object.assign(new Error('no'), { code })

  it('passes a ModelError through unchanged', () => {
    const error = new ModelError('quota', 'wait', { retryAfterMs: 5 })
    expect(toModelError(error, about)).toBe(error)
  })

  it.each([
    [coded('ECONNRESET'), 'transient'],
    [coded('UND_ERR_BODY_TIMEOUT'), 'transient'],
    [new TypeError('terminated'), 'transient'],
    [new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), 'transient'],
    [new DOMException('too slow', 'TimeoutError'), 'transient'],
    [new OutboundError('timeout', 'too slow'), 'transient'],
    [new OutboundError('address', 'private address'), 'invalid'],
    [new TypeError('fetch failed', { cause: new OutboundError('scheme', 'not http') }), 'invalid'],
    [new TypeError('x is not a function'), 'internal'],
    [coded('BLOCKED_ADDRESS'), 'internal'],
    ['a string', 'internal'],
  ])('maps %s to %s', (error, family) => {
    expect(toModelError(error, about)).toMatchObject({ name: 'ModelError', family })
  })
})
