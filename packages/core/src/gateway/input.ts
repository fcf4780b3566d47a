import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { check } from '../kernel/check.ts'
import { DomainError, invalid, notFound } from '../kernel/errors.ts'
import { isUlid } from '../platform/clock.ts'
import { decodeJson, hasBody, mediaType, readBytes } from './body.ts'
import type { Input } from './definition.ts'
import { isCleanText } from './json.ts'
import { header, type Incoming, type RequestContext } from './request-context.ts'

/** What a raw endpoint gets beside. */
interface RawInput {
  header(name: string): string | undefined
  request(): Pick<Request, 'url' | 'method' | 'headers' | 'signal'>
}

/**
 * Reads and checks what the request brings: parameters, query, headers, body, files.
 * @throws DomainError `NOT_FOUND` for a parameter of the wrong form, `VALIDATION_ERROR`, `PAYLOAD_TOO_LARGE`,
 *   `UNSUPPORTED_MEDIA_TYPE`
 */
export async function readInput(x: RequestContext): Promise<void> {
  const { def } = x.endpoint
  const { incoming } = x
  const input: Input & Partial<RawInput> & { files?: unknown } = {
    params: readParams(x),
    query: def.query && check(def.query, readQuery(incoming.search, x.endpoint.queryKeys)),
    body: undefined,
    headers: def.headers && check(def.headers, readHeaders(incoming, def.headers)),
    ip: x.ip,
    remote: incoming.remote,
    viaProxy: incoming.remote !== undefined && x.runtime.clientIp.trusts(incoming.remote),
    userAgent: header(incoming, 'user-agent') ?? '',
  }
  x.input = input
  if (def.kind === 'raw') {
    input.header = (name) => header(incoming, name.toLowerCase())
    input.request = () => requestOf(incoming)
    input.body = x.endpoint.writes ? await readBytes(incoming, limitOf(x)) : new Uint8Array()
  } else if (def.files && mediaType(incoming) === 'multipart/form-data') {
    // Much code that nothing else needs.
    const { readMultipart } = await import('./multipart.ts')
    const form = await readMultipart(incoming, def.files)
    x.discard = form.discard
    input.files = form.files
    input.body = def.body ? check(def.body, form.fields) : undefined
    x.bodyHash = form.hash
  } else if (def.files && !(def.json && hasBody(incoming))) {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Send the files as multipart/form-data')
  } else if (x.endpoint.writes && (hasBody(incoming) || def.body)) {
    await readJson(x, input, def.json ?? def.body)
  }
}

const limitOf = (x: RequestContext) => x.endpoint.def.maxBodyBytes ?? x.runtime.maxBodyBytes

async function readJson(
  x: RequestContext,
  input: Input & { files?: unknown },
  schema: z.ZodType | undefined,
) {
  const bytes = await readBytes(x.incoming, limitOf(x))
  if (x.endpoint.takesKey && header(x.incoming, 'idempotency-key') !== undefined) {
    x.bodyHash = createHash('sha256').update(bytes).digest('hex')
  }
  if (!schema) return
  input.body = check(schema, decodeJson(x.incoming, bytes))
  const { files } = x.endpoint.def
  if (files) input.files = Object.fromEntries(Object.keys(files).map((field) => [field, []]))
}

function readParams(x: RequestContext): Record<string, unknown> {
  const { names, keys, params } = x.endpoint.def
  const values: Record<string, unknown> = {}
  for (let i = 0; i < names.length; i += 1) {
    const key = keys[i] as string
    const value = decodeParam(x.incoming.params?.[names[i] as string] ?? '')
    const form = params[key]
    if (form === 'ulid') {
      if (!isUlid(value)) throw notFound(nounOf(x.endpoint.def.path, names[i] as string))
      values[key] = value
    } else if (form === 'text' || form === undefined) {
      if (value === '' || !isCleanText(value)) throw unknownPath()
      values[key] = value
    } else {
      const result = form.safeParse(value)
      if (!result.success || !isCleanText(value)) throw unknownPath()
      values[key] = result.data
    }
  }
  return values
}

const unknownPath = () => new DomainError('NOT_FOUND', 'There is nothing at this path')

function decodeParam(raw: string): string {
  if (!raw.includes('%')) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    throw unknownPath()
  }
}

/** The declared parameters of a query string; one that is given several times is a list, others are left out. */
export function readQuery(search: string, keys: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  if (search.length < 2) return values
  const given = new URLSearchParams(search)
  for (const key of keys) {
    const all = given.getAll(key)
    if (all.length === 0) continue
    if (!all.every(isCleanText)) throw invalid(key, 'Holds a NUL or half of a surrogate pair')
    values[key] = all.length === 1 ? all[0] : all
  }
  return values
}

function readHeaders(incoming: Incoming, schema: z.ZodObject): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(schema.shape)) {
    const value = header(incoming, name.toLowerCase())
    if (value !== undefined) values[name] = value
  }
  return values
}

/** The request as the web knows it, however it came in. */
function requestOf({ web, node }: Incoming): Pick<Request, 'url' | 'method' | 'headers' | 'signal'> {
  const { url, method, headers, signal } = web as Request
  if (!node) return { url, method, headers, signal }
  const gone = new AbortController()
  const { res } = node
  if (res.destroyed) gone.abort()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  return { url, method, headers, signal: gone.signal }
}

/** What ids name whose parameter or path says it in other words than the domain. */
const otherNouns: Readonly<Record<string, string>> = {
  'api-keys': 'API key',
  blog: 'blog post',
  feed: 'item of the feed',
  itemId: 'item of the feed',
}

/**
 * What the id at a place of a path names, in the words of the domain: `activity` for the last part of `/activities/:id`. So that
 * what is no id at all is refused in the words that an unknown one is refused in.
 */
function nounOf(path: string, parameter: string): string {
  const parts = path.split('/')
  const collection = parts[parts.indexOf(`:${parameter}`) - 1] ?? ''
  // Both kinds of templates are called `templateId`.
  const isNamedByPath = parameter === 'id' || parameter === 'templateId'
  const name = isNamedByPath ? collection : parameter
  return otherNouns[name] ?? spaced(isNamedByPath ? singular(name) : name.replace(/Id$/, ''))
}

const singular = (plural: string) => plural.replace(/ies$/, 'y').replace(/s$/, '')

const spaced = (name: string) =>
  name.replaceAll('-', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
