import { createHash } from 'node:crypto'
import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { password } from '../../kit/app.ts'
import { callerFor, inputFor } from '../../kit/inputs.ts'
import { createRequester } from '../../kit/requester.ts'
import { changedTables, everything, fingerprint } from '../../kit/rows.ts'
import { createSeededInstance, type SeededInstance } from '../../kit/seeded-instance.ts'

/**
 * Generated from the route tables: every endpoint answers a right request with the status and the shape that it declares,
 * reads change nothing, and every write is on the record, once.
 */

const endpoints = describeSurfaces()
const named = (all: readonly EndpointInfo[]) =>
  all.map((info) => [`${info.method} ${info.path}`, info] as const)
// A provider sends people back by GET, and that acts: what has a label for the record writes.
const writes = ({ method, definition }: EndpointInfo) => method !== 'GET' || definition.audit !== undefined
const reading = endpoints.filter((info) => !writes(info))
const writing = endpoints.filter(writes)

let instance: SeededInstance
let door: ReturnType<typeof createRequester>
let before: string

beforeAll(async () => {
  instance = await createSeededInstance()
  door = createRequester(instance)
  before = await fingerprint(instance.app.db)
})

afterAll(() => instance[Symbol.asyncDispose]())

function ask(info: EndpointInfo, headers: Record<string, string> = {}) {
  const input = inputFor(instance, info)
  const sent = { ...input.headers, ...headers }
  return door.ask(info, { ...input, headers: sent, authorization: callerFor(instance, info, input) })
}

const trouble = (info: EndpointInfo, text: string) =>
  `${text}\nIf the request is at fault, write a right one down under '${info.id}' in test/kit/input-examples.ts`

describe.each(named(reading))('%s', (_, info) => {
  it('returns declared responses, and changes nothing', async () => {
    const { status, text } = await ask(info)
    expect(status, trouble(info, text)).toBe(info.success)
    expect(changedTables(before, await fingerprint(instance.app.db))).toEqual([])
  })
})

interface Recorded {
  request_id: string
  method: string
  surface: string
  status: number
  path: string
}

const secrets = ({ apiKey, refreshToken, invitation, callback }: SeededInstance) => [
  password,
  'Another-horse-2',
  apiKey,
  refreshToken,
  invitation,
  callback.code,
  callback.state,
]

/** Values that a response contains only once: tokens, keys, links. */
function secretsIn(text: string): string[] {
  const fields = !text.startsWith('{') ? [] : Object.entries(JSON.parse(text) as object)
  return fields.flatMap(([name, value]) => (/token$|^key$/i.test(name) ? [String(value)] : []))
}

const records = () => instance.app.db.sql.all<Recorded>('select * from audit_records')

describe.each(named(writing))('%s', (_, info) => {
  beforeEach(async () => {
    instance.clock.advance(61_000)
    await instance.reset()
  })

  it('returns declared responses, and writes an audit record', async () => {
    const { status, text, headers } = await ask(info)
    expect(status, trouble(info, text)).toBe(info.success)
    const requestId = headers.get('x-request-id')
    const found = (await records()).filter((record) => record.request_id === requestId)
    expect(found.length, 'audit records').toBeGreaterThan(0)
    for (const record of found) {
      expect(record).toMatchObject({ method: info.method, surface: info.surface, status: info.success })
      expect(record.path.split('/').length, record.path).toBe(info.path.split('/').length)
    }
    const rows = await everything(instance.app.db)
    for (const secret of [...secrets(instance), ...secretsIn(text)])
      expect(rows.includes(secret), `${secret} stands in a row`).toBe(false)
  })

  it('keeps to the contract under concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(info)))
    const good = answers.filter(({ status }) => status === info.success)
    expect(good.length, answers.map(({ summary }) => summary).join(', ')).toBeGreaterThan(0)
  })

  const { takesCredential, kind } = info.definition
  const isPost = info.method === 'POST' && kind === 'json'

  /** The same request twice under one key, and whether the second got the answer of the first. */
  async function askTwice() {
    const input = inputFor(instance, info)
    const authorization = callerFor(instance, info, input)
    const knock = {
      ...input,
      authorization,
      headers: { ...input.headers, 'idempotency-key': 'once' },
      ip: '10.9.9.9',
    }
    const first = await door.ask(info, knock)
    expect(first.status, trouble(info, first.text)).toBe(info.success)
    const after = await fingerprint(instance.app.db)
    const rows = await everything(instance.app.db)
    const second = await door.ask(info, knock)
    return { body: input.body, first, rows, second, after }
  }

  it.runIf(isPost && !takesCredential)('executes requests with one Idempotency-Key once', async () => {
    const { body, first, rows, second, after } = await askTwice()
    for (const hash of hashesOf(body)) expect(rows.includes(hash), 'a plain hash of the body').toBe(false)
    // The credential may have gone with the act itself.
    if (second.status === 401) return
    expect({ status: second.status, text: second.text }).toEqual({ status: first.status, text: first.text })
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(changedTables(after, await fingerprint(instance.app.db))).toEqual([])
  })

  it.runIf(isPost && takesCredential)('stores nothing under an Idempotency-Key', async () => {
    const { body, rows, second } = await askTwice()
    for (const hash of hashesOf(body)) expect(rows.includes(hash), 'a plain hash of the body').toBe(false)
    expect(await instance.app.db.sql.all('select key from idempotency_records')).toEqual([])
    expect(second.headers.get('idempotent-replayed')).toBe(null)
  })
})

const sha256 = (text: string) => createHash('sha256').update(text)

/** Hashes of a body that a program without the server's keys could make too. */
function hashesOf(body: unknown): string[] {
  const plain = sha256(body === undefined ? '' : JSON.stringify(body))
  const hex = plain.copy().digest('hex')
  // With what the gateway takes together with the body: the query and a named tenant.
  const joined = sha256(JSON.stringify(['', hex, ''])).digest('hex')
  return [hex, joined, plain.copy().digest('base64'), plain.digest('base64url')]
}
