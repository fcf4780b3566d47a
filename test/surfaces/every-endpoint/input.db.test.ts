import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { callerFor, inputFor } from '../../kit/inputs.ts'
import { createRequester, unknownId } from '../../kit/requester.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { createSeededInstance, type SeededInstance } from '../../kit/seeded-instance.ts'

/** Generated from the route tables: what no endpoint takes, even from those who may call it. */

const endpoints = describeSurfaces()
const named = (all: readonly EndpointInfo[]) =>
  all.map((info) => [`${info.method} ${info.path}`, info] as const)
const ids = ({ definition }: EndpointInfo) =>
  definition.names.filter(
    (name, i) => definition.params[definition.keys[i] as string] === 'ulid' && name !== 'runId',
  )

let instance: SeededInstance
let door: ReturnType<typeof createRequester>
let before: string

beforeAll(async () => {
  instance = await createSeededInstance()
  door = createRequester(instance)
  before = await fingerprint(instance.app.db)
})

// The limits of callers have tests of their own.
beforeEach(() => instance.clock.advance(900_000))

afterAll(() => instance[Symbol.asyncDispose]())

/** A right request of someone who may ask. */
function right(info: EndpointInfo) {
  const input = inputFor(instance, info)
  return { ...input, authorization: callerFor(instance, info, input) }
}

async function expectNothingChanged() {
  expect(changedTables(before, await fingerprint(instance.app.db))).toEqual([])
}

/**
 * A tenant is named by its id, and a post belongs to a tenant: callers without an assignment are rejected,
 * whether it exists or not.
 */
function unknownAnswer(info: EndpointInfo, name: string, id: string): string {
  const isReviewer = ['dm', 'cli'].includes(info.surface)
  const namesTenant = isReviewer && (name === 'tenantId' || info.id === 'dm.blog.approve')
  return namesTenant && id === unknownId ? '403 FORBIDDEN' : '404 NOT_FOUND'
}

describe.each(named(endpoints.filter((info) => ids(info).length > 0)))('%s', (_, info) => {
  it('returns 404 for an invalid and an unknown id', async () => {
    const knock = right(info)
    for (const name of ids(info)) {
      for (const id of [unknownId, 'not-an-id', unknownId.toLowerCase(), `${unknownId}0`]) {
        const answer = await door.ask(info, { ...knock, params: { ...knock.params, [name]: id } })
        expect(answer.summary, `${name} ${id}`).toBe(unknownAnswer(info, name, id))
      }
    }
    await expectNothingChanged()
  })
})

const hostile = [
  '{',
  '[]',
  '"text"',
  'null',
  '1e400',
  '{"__proto__":{"role":"super_admin"}}',
  '{"a":1,"a":2}',
  '['.repeat(5_000),
  '{"a":"\\ud800"}',
  '\u0000',
]

describe.each(named(endpoints.filter(({ definition }) => definition.kind === 'json' && definition.body)))(
  '%s',
  (_, info) => {
    it('rejects malformed and hostile bodies', async () => {
      const { body: _body, ...knock } = right(info)
      for (const text of hostile) {
        const answer = await door.ask(info, { ...knock, text })
        expect(answer.summary, text.slice(0, 40)).toBe('400 VALIDATION_ERROR')
      }
      await expectNothingChanged()
    })

    it('names an unknown field, at every depth', async () => {
      const knock = right(info)
      for (const [path, body] of withSurprise(knock.body)) {
        const answer = await door.ask(info, { ...knock, body })
        if (answer.status < 400 && takesAnything(info, path)) {
          await instance.reset()
          continue
        }
        expect(answer.summary, path).toBe('400 VALIDATION_ERROR')
        expect(JSON.parse(answer.text).error.field, answer.text).toBe(path)
        await expectNothingChanged()
      }
    })

    it('names a missing field', async () => {
      const knock = right(info)
      const needed = Object.entries(shapeOf(info)).filter(
        ([, schema]) => !schema.safeParse(undefined).success,
      )
      for (const [name] of needed) {
        const { [name]: _gone, ...rest } = knock.body as Record<string, unknown>
        const answer = await door.ask(info, { ...knock, body: rest })
        expect(answer.summary, name).toBe('400 VALIDATION_ERROR')
        expect(JSON.parse(answer.text).error.field).toBe(name)
      }
      await expectNothingChanged()
    })
  },
)

function shapeOf({ definition }: EndpointInfo): Record<string, z.ZodType> {
  return (definition.body as z.ZodObject | undefined)?.shape ?? {}
}

/** Copies of a value with one field more somewhere, by the path of that field. */
function withSurprise(value: unknown, path = ''): [string, unknown][] {
  if (Array.isArray(value)) {
    return value
      .slice(0, 1)
      .flatMap((first) =>
        withSurprise(first, path === '' ? '0' : `${path}.0`).map(([at, changed]): [string, unknown] => [
          at,
          [changed, ...value.slice(1)],
        ]),
      )
  }
  if (typeof value !== 'object' || value === null) return []
  const at = (key: string) => (path === '' ? key : `${path}.${key}`)
  return [
    [at('surprise'), { ...value, surprise: 1 }],
    ...Object.entries(value).flatMap(([key, inner]) =>
      withSurprise(inner, at(key)).map(([where, changed]): [string, unknown] => [
        where,
        { ...value, [key]: changed },
      ]),
    ),
  ]
}

/** True when the schema itself leaves the content of a path open. */
function takesAnything(info: EndpointInfo, path: string): boolean {
  const [first = ''] = path.split('.')
  const def = shapeOf(info)[first]?._zod.def as unknown as
    | { type?: string; innerType?: z.ZodType }
    | undefined
  const type = (def?.innerType?._zod.def as { type?: string } | undefined)?.type ?? def?.type
  return path !== 'surprise' && (type === 'unknown' || type === 'record' || type === 'object')
}

describe.each(named(endpoints.filter(({ definition }) => definition.query)))('%s', (_, info) => {
  const shape = (info.definition.query?.shape ?? {}) as Record<string, z.ZodType>
  const wrong: Record<string, readonly string[]> = {
    limit: ['0', '101', '-1', '1.5', '1e1', 'x', '', ' 5', '0x5', '٣'],
    cursor: ['', 'x', '%'],
    order: ['up', 'DESC', ''],
  }

  it('names the invalid parameter', async () => {
    const knock = right(info)
    for (const [name, schema] of Object.entries(shape)) {
      const values = (wrong[name] ?? ['__proto__', 'nonsense\u202e']).filter(
        (value) => !schema.safeParse(value).success,
      )
      // The lists' own cursors are known to them only.
      for (const value of name === 'cursor' ? (wrong['cursor'] ?? []) : values) {
        const answer = await door.ask(info, { ...knock, query: { ...knock.query, [name]: value } })
        // An unknown tenant id is rejected like that of another tenant.
        if (name === 'tenantId' && answer.summary === '403 FORBIDDEN') continue
        expect(answer.summary, `${name}=${value}`).toBe('400 VALIDATION_ERROR')
        expect(JSON.parse(answer.text).error.field).toBe(name)
      }
    }
  })

  it('rejects a duplicate parameter', async () => {
    const knock = right(info)
    for (const name of Object.keys(shape)) {
      const search = `?${name}=1&${name}=2`
      const answer = await door.ask(info, { ...knock, query: undefined, search })
      if (shape[name]?.safeParse(['1', '2']).success) continue
      expect(answer.summary, name).toBe('400 VALIDATION_ERROR')
    }
  })
})

/** True when whatever fits `path` fits `general` as well. */
function isCaseOf(path: string, general: string): boolean {
  const [words, others] = [path.split('/'), general.split('/')]
  return (
    words.length === others.length &&
    words.every((word, i) => others[i] === word || others[i]?.startsWith(':'))
  )
}

describe('a known path with another method', () => {
  it('responds with 405 and the allowed methods', async () => {
    const byPath = Map.groupBy(endpoints, ({ path }) => path)
    for (const [path, all] of byPath) {
      // When a literal matches the parameter of another path, that endpoint responds as well.
      const also = endpoints.filter((other) => isCaseOf(path, other.path))
      const methods = new Set([...all, ...also].map(({ method }) => method as string))
      const info = all.find(({ access }) => !access.public) ?? (all[0] as EndpointInfo)
      // All paths of a run are counted together.
      instance.clock.advance(61_000)
      const knock = right(info)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !methods.has(one))) {
        const answer = await door.ask(info, { ...knock, body: undefined, query: undefined, method })
        expect(answer.summary, `${method} ${path}`).toBe('405 METHOD_NOT_ALLOWED')
        const allowed = (answer.headers.get('allow') ?? '').split(', ')
        expect(
          [...methods].filter((one) => !allowed.includes(one)),
          path,
        ).toEqual([])
        expect(allowed).not.toContain(method)
      }
    }
    await expectNothingChanged()
  })
})
