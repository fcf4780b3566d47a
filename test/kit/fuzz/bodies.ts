import type { EndpointInfo } from '@copydesk/core'
import fc from 'fast-check'
import type { z } from 'zod'
import { edged } from './edges.ts'
import { write } from './hostile.ts'
import { hostileTexts } from './hostile-texts.ts'
import { junk, nearly } from './nearly.ts'
import { type Known, valid } from './valid.ts'

/** A body as bytes, with what its sender says that it is. */
export interface Body {
  bytes: Uint8Array
  type: string | undefined
  encoding?: string
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const json = 'application/json'

/** Well-formed JSON said to be something else, and the other way round. */
const types = fc.constantFrom(
  undefined,
  '',
  'text/plain',
  'text/html; charset=utf-8',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'application/json; charset="latin1"',
  'application/json;charset=',
  'application/json; charset=utf-8; charset=ucs-2',
  'application/problem+json',
  'application/xml',
  'APPLICATION/JSON',
  'json',
  '*/*',
  ';;;',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=x',
  `application/json; ${'a'.repeat(2_000)}`,
)

type Spoil = (text: string) => Uint8Array

/** What can go wrong with the text of a body on its way. */
const spoils = fc.oneof<fc.Arbitrary<Spoil>[]>(
  fc
    .nat(400)
    .map((n) => (text: string) => bytesOf(text.slice(0, text.length - 1 - (n % Math.max(1, text.length))))),
  fc
    .constantFrom('}', ']', ',', '"', '\0', '{}', ' // no', '\u2028')
    .map((end) => (text: string) => bytesOf(text + end)),
  fc
    .constantFrom([0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82])
    .chain((rubbish) => fc.nat(400).map((n) => (text: string) => inserted(bytesOf(text), rubbish, n))),
  fc
    .constantFrom('\ufeff', ' \n\t', ")]}',\n", '\u00a0', '[', '{"a":')
    .map((start) => (text: string) => bytesOf(start + text)),
  fc
    .constantFrom('utf16le' as const, 'base64' as const)
    .map((code) => (text: string) => Buffer.from(text, code)),
  fc.constant((text: string) => bytesOf(text.replaceAll('"', "'"))),
  fc
    .integer({ min: 60, max: 3_000 })
    .map((n) => (text: string) => bytesOf('['.repeat(n) + text + ']'.repeat(n))),
  fc.constant((text: string) => bytesOf(text.replace('{', '{"__proto__":{"role":"super_admin"},'))),
  fc.constant((text: string) => bytesOf(text + ' '.repeat((1 << 20) + 1))),
)

function inserted(bytes: Uint8Array, rubbish: readonly number[], n: number): Uint8Array {
  const at = n % (bytes.length + 1)
  return Uint8Array.from([...bytes.subarray(0, at), ...rubbish, ...bytes.subarray(at)])
}

/**
 * Bodies for an endpoint: right ones, nearly right ones, and rubbish.
 * @param examples bodies that it is known to take
 */
export function bodies(
  info: EndpointInfo,
  known: Known,
  examples: readonly unknown[],
): fc.Arbitrary<Body | undefined> {
  const { body, files, json: plain, kind, method } = info.definition
  const rubbish = fc.tuple(junk, types).map(([value, type]) => ({ bytes: bytesOf(write(value)), type }))
  if (method === 'GET') return fc.constant(undefined)
  if (kind === 'raw') return fc.oneof(fc.constant(undefined), rubbish, rawBytes)
  const schema = plain ?? body
  if (files && !plain)
    return fc.oneof({ weight: 8, arbitrary: forms(info, known) }, { weight: 2, arbitrary: rubbish })
  if (!schema) {
    return fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: rubbish },
      rawBytes,
    )
  }
  const right = rightValues(schema, known, examples)
  const atEnds = edged(schema, right, known)
  const said = (value: unknown): Body => ({ bytes: bytesOf(write(value)), type: json })
  return fc.oneof(
    { weight: 8, arbitrary: right.map(said) },
    { weight: 12, arbitrary: nearly(right).map(said) },
    ...(atEnds ? [{ weight: 8, arbitrary: atEnds.map(said) }] : []),
    { weight: 3, arbitrary: junk.map(said) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(right, spoils)
        .map(([value, spoil]) => ({ bytes: spoil(write(value)), type: json })),
    },
    { weight: 2, arbitrary: fc.tuple(right, types).map(([value, type]) => ({ ...said(value), type })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(right, fc.constantFrom('gzip', 'br', 'identity', 'deflate, gzip', 'x'))
        .map(([value, encoding]) => ({ ...said(value), encoding })),
    },
    { weight: 1, arbitrary: rubbish },
    ...(files ? [{ weight: 8, arbitrary: forms(info, known) }] : []),
  )
}

function rightValues(schema: z.ZodType, known: Known, examples: readonly unknown[]): fc.Arbitrary<unknown> {
  const made = valid(schema, known)
  return examples.length === 0 ? made : fc.oneof(fc.constantFrom(...examples), made)
}

const rawBytes: fc.Arbitrary<Body> = fc
  .tuple(fc.uint8Array({ maxLength: 200 }), types)
  .map(([bytes, type]) => ({ bytes, type }))

/** Forms with files: fields as their schema says, names and contents as no one would want them. */
function forms(info: EndpointInfo, known: Known): fc.Arbitrary<Body> {
  const { body, files = {} } = info.definition
  const fields = (body ? fc.oneof(valid(body, known), nearly(valid(body, known))) : fc.constant({})).map(
    (value) => Object.entries(Object(value)) as [string, unknown][],
  )
  const parts = fc.array(
    fc.record({
      field: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...Object.keys(files)) },
        fc.constantFrom(...hostileTexts),
      ),
      name: fc.oneof(fc.constantFrom('list.csv', 'skill.md', 'file.pdf'), fc.constantFrom(...hostileTexts)),
      type: fc.constantFrom('text/csv', 'text/markdown', 'application/pdf', 'x', ''),
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 400 }),
        fc.constant(bytesOf('email,name\na@b.example,Ann\n')),
      ),
    }),
    { maxLength: 3 },
  )
  return fc.tuple(fields, parts, fc.boolean()).map(([named, attached, whole]) => {
    const quoted = (text: string) => text.replace(/[\r\n"\0]/g, '%')
    const chunks = named.flatMap(([name, value]) => [
      bytesOf(`--x-x\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n`),
      bytesOf(`${typeof value === 'string' ? value : write(value)}\r\n`),
    ])
    for (const { field, name, type, bytes } of attached) {
      const disposition = `form-data; name="${quoted(field)}"; filename="${quoted(name)}"`
      chunks.push(
        bytesOf(`--x-x\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${type}\r\n\r\n`),
        bytes,
      )
      chunks.push(bytesOf('\r\n'))
    }
    if (whole) chunks.push(bytesOf('--x-x--\r\n'))
    return { bytes: Buffer.concat(chunks), type: 'multipart/form-data; boundary=x-x' }
  })
}
