import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { callerFor, inputFor } from '../kit/inputs.ts'
import { createRequester, unknownId } from '../kit/requester.ts'
import { createSeededInstance, type SeededInstance } from '../kit/seeded-instance.ts'

/** Generated from the route tables: what people read when they are refused. */

const endpoints = describeSurfaces()
const named = (all: readonly EndpointInfo[]) =>
  all.map((info) => [`${info.method} ${info.path}`, info] as const)
const idsOf = ({ definition }: EndpointInfo) =>
  definition.names.filter(
    (name, i) => definition.params[definition.keys[i] as string] === 'ulid' && name !== 'runId',
  )

let instance: SeededInstance
let door: ReturnType<typeof createRequester>

beforeAll(async () => {
  instance = await createSeededInstance()
  door = createRequester(instance)
})

// The limits of callers have tests of their own.
beforeEach(() => instance.clock.advance(900_000))

afterAll(() => instance[Symbol.asyncDispose]())

interface Refusal {
  code: string
  message: string
  field?: string
  details?: { issues: Array<{ field: string; message: string }> }
}

const refusalIn = (text: string) => (JSON.parse(text) as { error: Refusal }).error

function right(info: EndpointInfo) {
  const input = inputFor(instance, info)
  return { ...input, authorization: callerFor(instance, info, input) }
}

describe.each(named(endpoints.filter((info) => idsOf(info).length > 0)))('%s', (_, info) => {
  it('returns the same message for an unknown and an invalid id', async () => {
    const asked = right(info)
    for (const name of idsOf(info)) {
      const answerTo = async (id: string) =>
        door.ask(info, { ...asked, params: { ...asked.params, [name]: id } })
      const unknown = await answerTo(unknownId)
      // Of tenants that are not their own people are only told that.
      if (unknown.summary === '403 FORBIDDEN') continue
      const { message } = refusalIn(unknown.text)
      expect(message).toMatch(/^There is no [A-Za-z ]+ with this id$/)
      expect(refusalIn((await answerTo('not-an-id')).text).message).toBe(message)
    }
  })
})

describe.each(named(endpoints.filter(({ definition }) => definition.query ?? definition.body)))(
  '%s',
  (_, info) => {
    const query = Object.entries((info.definition.query?.shape ?? {}) as Record<string, z.ZodType>)

    it('names an invalid field beside the message and not in it', async () => {
      const asked = right(info)
      const tries = [
        ...query
          .filter(([, schema]) => !schema.safeParse('nonsense').success)
          .map(([name]) => ({ ...asked, query: { ...asked.query, [name]: 'nonsense' } })),
        ...(info.definition.body
          ? [
              { ...asked, body: {} },
              { ...asked, body: { surprise: 1 } },
            ]
          : []),
      ]
      for (const one of tries) {
        const { status, text } = await door.ask(info, one)
        if (status !== 400) continue
        const { field, message, details } = refusalIn(text)
        const all = [{ field: field ?? '', message }, ...(details?.issues ?? [])]
        for (const each of all) {
          expect(each.message).not.toBe('')
          expect(each.message).not.toContain(`"${each.field || message}"`)
        }
      }
      await instance.reset()
    })
  },
)

describe('a limit', () => {
  it('returns the seconds of Retry-After', async () => {
    const login = () =>
      instance.app.fetch('/auth/v1/forgot-password', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'nobody@test.example' }),
      })
    let answer = await login()
    for (let n = 0; n < 2_000 && answer.status !== 429; n += 1) answer = await login()
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(1)
    expect(refusalIn(await answer.text())).toEqual({
      code: 'RATE_LIMITED',
      message: `Too many requests; try again in ${seconds} seconds`,
    })
  })
})

describe('an unknown path', () => {
  it('returns 404', async () => {
    const answer = await instance.app.fetch('/dashboard/v1/nowhere', {
      headers: { authorization: `Bearer ${instance.ours.adminToken}` },
    })
    expect(answer.status).toBe(401)
    const [info] = endpoints.filter(({ id }) => id === 'dashboard.campaigns.list')
    const { authorization } = right(info as EndpointInfo)
    const known = await instance.app.fetch('/dashboard/v1/nowhere', {
      headers: { authorization: authorization ?? '' },
    })
    expect({ status: known.status, ...refusalIn(await known.text()) }).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      message: 'There is nothing at this path',
    })
  })
})
