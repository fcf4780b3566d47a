import type { EndpointInfo } from '@copydesk/core'
import type { z } from 'zod'
import { statusOfCode } from '../../packages/core/src/gateway/errors.ts'
import { strictly } from '../../packages/core/src/gateway/strict.ts'
import { marker } from './seeded-instance.ts'

/** An answer as it came in. */
export interface Answer {
  status: number
  code: string | undefined
  /** Status, code and `WWW-Authenticate`, for tables. */
  summary: string
  headers: Headers
  text: string
}

/** @throws Error when a text holds anything of the other tenant */
export function checkNothingOfTheirs(text: string): void {
  const at = text.toLowerCase().indexOf(marker.toLowerCase())
  if (at >= 0) fault(`shows something of another tenant: …${text.slice(Math.max(0, at - 100), at + 100)}…`)
}

interface Refused {
  error: { code: string; message: string; field?: string; details?: unknown }
}

const fault = (sentence: string): never => {
  throw new Error(sentence)
}

/** What no one outside may read: stacks, statements, hashes, paths. */
const inner =
  /\$argon2|node_modules|\.ts:\d+|SQLITE_|syntax error at|relation "|duplicate key|unique constraint|Cannot read prop|is not a function|undefined is not/i

/**
 * Takes an answer apart and holds it against the contract: the headers of every answer, the envelope of a refusal, the
 * declared codes, and the schema of a success.
 * @param from the endpoint that answers; undefined where the path may lead to none or to another one
 * @throws Error with a sentence on what is wrong with it
 */
export async function assertContract(response: Response, from: EndpointInfo | undefined): Promise<Answer> {
  const { status, headers } = response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (isStream) await response.body?.cancel()
  const text = isStream ? '' : await response.text()
  checkHeaders(response)
  if (status >= 500) fault(`answered ${status} ${text}`)
  if (status >= 400) checkRefusal(status, headers, text, from)
  else if (from) checkSuccess(status, headers, text, from)
  const code = status >= 400 ? (JSON.parse(text) as Refused).error.code : undefined
  const told = headers.get('www-authenticate')
  return { status, code, headers, text, summary: [status, code, told].filter((part) => part).join(' ') }
}

/**
 * Holds the answer to what is no HTTP against the contract.
 * @param isHead whether it has no body
 * @throws Error with a sentence on what is wrong
 */
export async function checkUnparsed(answer: Response, isHead: boolean): Promise<void> {
  const { status, headers } = answer
  if (![400, 408, 413, 431].includes(status)) fault(`answered ${status} to what is no HTTP`)
  if (!headers.has('x-request-id')) fault(`answered ${status} without an id`)
  if (isHead) return
  const { error } = JSON.parse(await answer.text()) as Refused
  if (!/^(BAD_REQUEST|PAYLOAD_TOO_LARGE)$/.test(error.code) || inner.test(error.message))
    fault(`answered ${status} ${error.code} ${error.message}`)
}

/** Holds the headers of an answer against the contract. @throws Error with a sentence on what is wrong */
export function checkHeaders({ status, headers }: Pick<Response, 'status' | 'headers'>): void {
  const id = headers.get('x-request-id') ?? ''
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)) fault(`X-Request-Id is "${id}", which is no ULID`)
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    if (!/^\d+$/.test(headers.get(name) ?? '')) fault(`${name} is "${headers.get(name)}", which is no number`)
  }
  if (headers.get('x-content-type-options') !== 'nosniff') fault('lacks X-Content-Type-Options')
  if (status === 401 && !headers.has('www-authenticate')) fault('a 401 lacks WWW-Authenticate')
  if (status === 429 && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? '')) fault('a 429 lacks Retry-After')
  if (status === 405 && !headers.has('allow')) fault('a 405 lacks Allow')
}

function checkRefusal(status: number, headers: Headers, text: string, from: EndpointInfo | undefined): void {
  if (headers.get('content-type') !== 'application/json; charset=utf-8')
    fault(`a refusal has the content type ${headers.get('content-type')}`)
  if (headers.get('cache-control') !== 'no-store') fault('a refusal may be kept by caches')
  let body: Refused
  try {
    body = JSON.parse(text) as Refused
  } catch {
    return fault(`a refusal is no JSON: ${text.slice(0, 200)}`)
  }
  const { code, message, field, details, ...rest } = body.error ?? {}
  if (Object.keys(body).join() !== 'error' || Object.keys(rest).length > 0) fault(`no ApiError: ${text}`)
  if (typeof code !== 'string' || typeof message !== 'string' || message === '') fault(`no ApiError: ${text}`)
  if (field !== undefined && typeof field !== 'string') fault(`no ApiError: ${text}`)
  if (details === null) fault(`no ApiError: ${text}`)
  if (statusOfCode[code as keyof typeof statusOfCode] !== status)
    fault(`the code ${code} came with the status ${status}`)
  if (inner.test(message)) fault(`tells what goes on inside: ${message}`)
  if (from && !from.errors.includes(code as never)) fault(`${from.id} does not declare ${code}: ${message}`)
}

const strict = new WeakMap<z.ZodType, z.ZodType>()

function checkSuccess(status: number, headers: Headers, text: string, { definition }: EndpointInfo): void {
  const { replies, success, kind, file } = definition
  if (status === 304) return
  const reply = replies[status]
  if (reply === undefined || (kind !== 'raw' && status !== success))
    fault(`answered ${status}, where ${Object.keys(replies).join(', ')} is declared`)
  const type = headers.get('content-type')
  if (typeof reply === 'string') {
    if (reply !== '' && !(reply === '*/*' ? type : type?.startsWith(reply)))
      fault(`answered as ${type}, where ${reply} is declared`)
    return
  }
  if (status === 204) {
    if (text !== '') fault(`a 204 has a body: ${text.slice(0, 200)}`)
    return
  }
  if (file !== undefined && type === file) return
  if (type !== 'application/json; charset=utf-8') fault(`answered as ${type}`)
  if (!/^(no-store|private, no-cache)$/.test(headers.get('cache-control') ?? ''))
    fault('may be kept by caches')
  const schema = strict.get(reply as z.ZodType) ?? strictly(reply as z.ZodType)
  strict.set(reply as z.ZodType, schema)
  const result = schema.safeParse(JSON.parse(text))
  if (!result.success) {
    const [issue] = result.error.issues
    fault(
      `the answer is not what is declared: ${issue?.path.join('.')}: ${issue?.message} in ${text.slice(0, 300)}`,
    )
  }
}
