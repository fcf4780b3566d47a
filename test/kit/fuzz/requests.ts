import type { EndpointInfo } from '@copydesk/core'
import fc from 'fast-check'
import { bodies } from './bodies.ts'
import { edged } from './edges.ts'
import { Written } from './hostile.ts'
import { hostileTexts } from './hostile-texts.ts'
import { type Known, valid } from './valid.ts'

/** A request as it goes over the wire, without its credential. */
export interface WireRequest {
  method: string
  /** Path and query, as they are written. */
  target: string
  headers: readonly (readonly [string, string])[]
  body: Uint8Array | undefined
  /** What its sender would read of it in a report. */
  [fc.toStringMethod](): string
}

/** What a case may say beside the right thing. */
export interface RequestParts {
  known: Known
  /** Whole inputs that the endpoint is known to take. */
  examples?: readonly { params?: Record<string, string>; query?: Record<string, string>; body?: unknown }[]
}

/** Percent-encodes anything, halves of surrogate pairs too. */
function encoded(text: string): string {
  return Array.from(text, (char) =>
    char.isWellFormed()
      ? encodeURIComponent(char)
      : `%ED%${(0x80 | ((char.charCodeAt(0) >> 6) & 0x3f)).toString(16)}%${(0x80 | (char.charCodeAt(0) & 0x3f)).toString(16)}`,
  ).join('')
}

const rawSegments = [
  '%',
  '%zz',
  '%0',
  '%00',
  '%2F',
  '%5c',
  '%2e%2e',
  '..',
  '.',
  '%C0%AF',
  '%ff',
  '%ED%A0%80',
  'a/b',
  'a//b',
  '',
  ';a=b',
  '+',
  '*',
  '%0d%0aSet-Cookie:%20a=b',
  '%252e',
  'a'.repeat(5_000),
  ':id',
  '@',
  '~',
  '%E2%80%AE',
]

const someText = fc.constantFrom(...hostileTexts)

function targets(info: EndpointInfo, { known, examples = [] }: RequestParts): fc.Arbitrary<string> {
  const { names, keys } = info.definition
  const values = fc.tuple(
    ...names.map((name, i) => {
      const given = known(name) ?? known(`${info.id} ${name}`) ?? []
      const fromExamples = examples.flatMap(({ params }) => params?.[keys[i] as string] ?? [])
      const right = [...given.map(String), ...fromExamples].map(encoded)
      return fc.oneof(
        { weight: right.length > 0 ? 12 : 0, arbitrary: fc.constantFrom(...right, 'x') },
        { weight: 1, arbitrary: fc.constantFrom(...rawSegments) },
        { weight: 1, arbitrary: someText.map(encoded) },
      )
    }),
  )
  const path = values.map((all) =>
    names.reduce((text, name, i) => text.replace(`:${name}`, () => all[i] ?? ''), info.path),
  )
  return fc
    .tuple(path, queries(info, known), fc.constantFrom('', '', '', '', '', '', '', '/', '//', '#x'))
    .map(
      ([before, query, after]) =>
        before + (after === '#x' ? '' : after) + query + (after === '#x' ? after : ''),
    )
}

const rawQueries = [
  '?',
  '??',
  '?&&==&',
  '?%',
  '?a=%zz',
  '?%00=%00',
  '?limit=1&limit=2',
  '?limit[]=1',
  '?limit=1e1',
  '?limit=0x10',
  '?limit=%2B5',
  '?limit=-0',
  '?limit=',
  '?limit=101',
  '?order=DESC',
  '?cursor=',
  '?cursor=%ED%A0%80',
  '?cursor=01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '?filter.status=done&filter.status=failed',
  '?filter[status]=done',
  '?filter.status=__proto__',
  '?__proto__=1&constructor=2&toString=3',
  '?tenantId=x',
  '?tenantId=01ARZ3NDEKTSV4RRFFQ69G5FAV&tenantId=01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '?lastEventId=99999999999999999999',
  '?lastEventId=-1',
  '?lastEventId=0',
  `?${'a=b&'.repeat(2_000)}`,
  `?limit=${'9'.repeat(4_000)}`,
]

function queries(info: EndpointInfo, known: Known): fc.Arbitrary<string> {
  const none = fc.constant('')
  const raw = fc.constantFrom(...rawQueries)
  const { query } = info.definition
  if (!query) return fc.oneof({ weight: 8, arbitrary: none }, raw)
  const pairs = valid(query, known).map((value) =>
    Object.entries(Object(value)).flatMap(([key, inner]) =>
      // A made-up cursor would be all that is ever looked at.
      inner === undefined || key === 'cursor' ? [] : [[key, [inner].flat().join(',')] as const],
    ),
  )
  const text = (all: readonly (readonly [string, string])[]) =>
    all.length === 0 ? '' : `?${all.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join('&')}`
  const spoiled = fc
    .tuple(pairs, fc.constantFrom(...Object.keys(query.shape)), someText)
    .map(([all, key, value]) => text([...all.filter(([name]) => name !== key), [key, value]]))
  const atEnds = edged(query, valid(query, known), known)?.map((value) =>
    text(
      Object.entries(Object(value)).flatMap(([key, inner]) =>
        inner === undefined ? [] : [[key, [inner].flat().map(written).join(',')] as const],
      ),
    ),
  )
  return fc.oneof(
    { weight: 3, arbitrary: none },
    ...(atEnds ? [{ weight: 6, arbitrary: atEnds }] : []),
    { weight: 6, arbitrary: pairs.map(text) },
    { weight: 6, arbitrary: spoiled },
    { weight: 3, arbitrary: raw },
  )
}

/** A value as it is written in a query. */
const written = (value: unknown) => (value instanceof Written ? value.text : String(value))

/** What a header can hold: one line of Latin-1. */
const line = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').trim()

const headers = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constantFrom(
        'idempotency-key',
        'if-none-match',
        'last-event-id',
        'x-request-id',
        'x-tenant-id',
        'accept',
        'accept-language',
        'origin',
        'range',
        'user-agent',
        'cookie',
        'traceparent',
        'x-http-method-override',
        'x-forwarded-for',
        'x-forwarded-host',
        'x-forwarded-proto',
        'forwarded',
      ),
      fc.oneof(
        someText.map(line),
        fc.constantFrom(
          '*',
          'DELETE',
          '0',
          '-1',
          'bytes=0-0',
          'null',
          'https://evil.example',
          'W/"x"',
          'a'.repeat(4_000),
        ),
      ),
    ),
    fc.tuple(fc.constant('idempotency-key'), fc.stringMatching(/^[a-z0-9]{12}$/)),
  ),
  { maxLength: 3 },
)

/** Requests for an endpoint: right ones, nearly right ones, and rubbish. */
export function requests(info: EndpointInfo, parts: RequestParts): fc.Arbitrary<WireRequest> {
  const examples = parts.examples?.flatMap(({ body }) => (body === undefined ? [] : [body])) ?? []
  return fc
    .tuple(
      targets(info, parts),
      fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 3, arbitrary: headers }),
      bodies(info, parts.known, examples),
    )
    .map(([target, extra, body]) =>
      described({
        method: info.method,
        target,
        headers: [
          ...extra,
          ...(body?.type !== undefined ? [['content-type', body.type] as const] : []),
          ...(body?.encoding !== undefined ? [['content-encoding', body.encoding] as const] : []),
        ],
        body: body?.bytes,
      }),
    )
}

/** The request as HTTP, cut where it is too long to read. */
export function described(request: Omit<WireRequest, typeof fc.toStringMethod>): WireRequest {
  const short = (text: string) =>
    text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text
  return {
    ...request,
    [fc.toStringMethod]() {
      const { method, target, headers: all, body } = request
      const head = [`${method} ${short(target)}`, ...all.map(([name, value]) => `${name}: ${short(value)}`)]
      return `\n${head.join('\n')}\n\n${body ? short(JSON.stringify(Buffer.from(body).toString('utf8'))) : ''}\n`
    },
  }
}
