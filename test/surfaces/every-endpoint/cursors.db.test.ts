import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { claimsOf, ruleOf } from '../../kit/callers.ts'
import { callerFor, inputFor } from '../../kit/inputs.ts'
import { createRequester, unknownId } from '../../kit/requester.ts'
import { createSeededInstance, type SeededInstance } from '../../kit/seeded-instance.ts'
import type { SeededTenant } from '../../kit/seeded-tenant.ts'

/** Generated from the route tables: every list takes the cursors that it has given out, and no others. */

const lists = describeSurfaces().filter(({ definition }) => 'cursor' in (definition.query?.shape ?? {}))
const named = lists.map((info) => [`${info.method} ${info.path}`, info] as const)

let instance: SeededInstance
let door: ReturnType<typeof createRequester>

beforeAll(async () => {
  instance = await createSeededInstance()
  door = createRequester(instance)
})

// The limits of callers have tests of their own.
beforeEach(() => instance.clock.advance(900_000))

afterAll(() => instance[Symbol.asyncDispose]())

/** How a list is asked by someone who may, with only those of its parameters that it needs. */
function asker(info: EndpointInfo, narrowed: Record<string, string> = {}) {
  const input = inputFor(instance, info)
  const authorization = callerFor(instance, info, input)
  const needed = Object.entries(input.query ?? {}).filter(
    ([name]) => !info.definition.query?.shape[name]?.safeParse(undefined).success,
  )
  return async (query: Record<string, string> = {}) => {
    const all = { ...Object.fromEntries(needed), ...narrowed, ...query }
    const answer = await door.ask(info, { ...input, authorization, query: all })
    // Some lists have so many pages that they would be more than a minute allows.
    instance.clock.advance(1_000)
    return { ...answer, reply: JSON.parse(answer.text) as Reply }
  }
}

interface Reply extends Record<string, unknown> {
  pagination?: { nextCursor: string | null }
  nextCursor?: string | null
  error?: { field: string }
}

const idsIn = (reply: Reply) =>
  Object.values(reply).flatMap((value) =>
    Array.isArray(value) ? value.map(({ id }: { id: string }) => id) : [],
  )

const nextOf = (reply: Reply) => reply.pagination?.nextCursor ?? reply.nextCursor ?? undefined

/** What stands for a tenant that is not the caller's: operators name one, all others have their own. */
function tenantFilter(info: EndpointInfo): Record<string, string> | undefined {
  const rule = ruleOf(info)
  const isOperators = rule?.apps.every((app) => app === 'manage') && !rule.roles.includes('reviewer')
  if (!isOperators && info.surface !== 'admin') return {}
  const name = ['tenantId', 'filter.tenantId'].find((one) => one in (info.definition.query?.shape ?? {}))
  return name === undefined ? undefined : { [name]: instance.ours.tenantId }
}

/** As lists write their own cursors whose order is not that of ids. */
const composed = (id: string) => [`3.k0.${id}.k0`, `3.k0.${id}`]

describe.each(named)('%s', (_, info) => {
  it('rejects cursors that it has never returned', async () => {
    const ask = asker(info)
    const rubbish = ['x', '%', '\u0000', 'null', unknownId.toLowerCase(), `${unknownId}0`, `${unknownId}.1`]
    const unknown = [unknownId, instance.newId(), ...composed(instance.newId()), ...rubbish]
    for (const cursor of unknown) {
      const { summary, reply } = await ask({ cursor })
      expect(summary, cursor).toBe('400 VALIDATION_ERROR')
      expect(reply.error?.field, cursor).toBe('cursor')
    }
  })

  it('rejects ids of another tenant like unknown ids', async () => {
    const narrowed = tenantFilter(info)
    if (narrowed === undefined) return
    const ask = asker(info, narrowed)
    const refusal = (await ask({ cursor: unknownId })).text
    for (const id of Object.values(instance.theirs.ids).flat())
      for (const cursor of [id, ...composed(id)]) expect((await ask({ cursor })).text, cursor).toBe(refusal)
  })

  it('returns everything once over all pages', async () => {
    const ask = asker(info)
    const { reply: whole } = await ask({ limit: '100' })
    expect(nextOf(whole)).toBeUndefined()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { reply, summary } = await ask({ limit: '1', ...(cursor !== undefined && { cursor }) })
      expect(summary).toMatch(/^200/)
      seen.push(...idsIn(reply))
      cursor = nextOf(reply)
    } while (cursor !== undefined && seen.length < 200)
    expect(seen.toSorted()).toEqual(idsIn(whole).toSorted())
  })
})

/** Someone with a token that the clock of these tests has not outrun. */
function client(role: 'admin' | 'reviewer', side: SeededTenant = instance.ours) {
  const sub = role === 'admin' ? side.adminId : side.reviewerId
  const own = role === 'admin' ? { tenantId: side.tenantId } : {}
  return instance.app.clientFor(instance.tokens.sign('access', { ...claimsOf(instance, role), sub, ...own }))
}

describe('a cursor whose item has left the list', () => {
  it('continues when the item has been deleted', async () => {
    const admin = client('admin')
    const make = (title: string) =>
      admin.call('tenant', 'POST /goals', {
        body: {
          title,
          metric: 'spend_usd',
          targetValue: 10,
          periodStart: '2026-01-01',
          periodEnd: '2026-03-31',
        },
      })
    for (const title of ['First', 'Second', 'Third']) await make(title)
    const read = (query: { limit: number; cursor?: string }) => admin.call('tenant', 'GET /goals', { query })
    const { data, pagination } = await read({ limit: 1 })
    await admin.call('tenant', 'DELETE /goals/:goalId', { params: { goalId: data[0]?.id ?? '' } })
    const cursor = pagination.nextCursor ?? ''
    expect((await read({ limit: 1, cursor })).data.map(({ title }) => title)).toEqual(['Second'])
    const theirs = client('admin', instance.theirs).call('tenant', 'GET /goals', { query: { cursor } })
    await expect(theirs).rejects.toMatchObject({ status: 400, field: 'cursor' })
    await instance.reset()
  })

  it('continues when it no longer matches the filter, in each order', async () => {
    const reviewer = client('reviewer')
    const query = { 'filter.status': 'pending', limit: 1 } as const
    for (const sortBy of ['risk_then_age', 'age', 'created_on'] as const) {
      const first = await reviewer.call('dm', 'GET /approvals', { query: { ...query, sortBy } })
      const approvalId = first.data[0]?.id ?? ''
      await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId },
        body: { resolution: 'rejected', note: 'Shorter' },
      })
      const next = { ...query, sortBy, cursor: approvalId }
      const { data } = await reviewer.call('dm', 'GET /approvals', { query: next })
      expect(data.map(({ id }) => id)).not.toContain(approvalId)
      expect(data).toHaveLength(1)
      await instance.reset()
    }
  })
})
