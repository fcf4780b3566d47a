import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { type Caller, ruleOf } from '../kit/callers.ts'
import { shutOutCallers } from '../kit/callers-keys.ts'
import { tokenCallers } from '../kit/callers-tokens.ts'
import { inputFor } from '../kit/inputs.ts'
import { createRequester, harmless } from '../kit/requester.ts'
import { changedTables, fingerprint } from '../kit/rows.ts'
import { createSeededInstance, type SeededInstance } from '../kit/seeded-instance.ts'

/** Surfaces that are tested together: the tests of one file must finish within the time that a suspension is cached. */
const groups = {
  platform: ['auth', 'admin', 'agent', 'pg', 'forms', 'root'],
  teams: ['dashboard', 'mobile'],
  integrators: ['media', 'tenant'],
  reviewers: ['dm'],
  staff: ['cli'],
} as const

/** By the clock of the instance, milliseconds: how long a suspension is remembered, and how long one test takes. */
const rememberedMs = 15 * 60_000
const paceMs = 2_500

/**
 * Generates tests from the route tables: which callers each endpoint rejects, with which error, and that a rejected
 * request changes nothing.
 */
export function describeAccess(group: keyof typeof groups): void {
  const all = describeSurfaces()
  const known = Object.values(groups).flat() as string[]
  const endpoints = all.filter(({ surface }) => (groups[group] as readonly string[]).includes(surface))
  const closed = endpoints.filter(({ access }) => !access.public)
  const open = endpoints.filter(({ access }) => access.public)

  it('covers every surface, and finishes while suspensions are cached', () => {
    expect(all.map(({ surface }) => surface).filter((surface) => !known.includes(surface))).toEqual([])
    expect((closed.length * 2 + open.length) * paceMs).toBeLessThan(rememberedMs)
  })

  let instance: SeededInstance
  let requester: ReturnType<typeof createRequester>
  let callers: Caller[]
  let before: string

  beforeAll(async () => {
    instance = await createSeededInstance()
    requester = createRequester(instance)
    callers = [...tokenCallers(instance), ...(await shutOutCallers(instance))]
    before = await fingerprint(instance.app.db)
  })

  afterAll(() => instance[Symbol.asyncDispose]())

  /**
   * Slow enough that no caller exceeds its rate limit, and fast enough that suspensions are cached to the end, 15 minutes.
   */
  beforeEach(() => instance.clock.advance(paceMs))

  const named = (all: readonly EndpointInfo[]) =>
    all.map((info) => [`${info.method} ${info.path}`, info] as const)

  describe.each(named(closed))('%s', (_, info) => {
    it('rejects every caller without access, with the declared error, and changes nothing', async () => {
      // Input that would change something if the caller had access.
      const input = inputFor(instance, info)
      const told: Record<string, string> = {}
      const meant: Record<string, string> = {}
      for (const caller of callers) {
        const refusal = caller.refusal(info)
        if (refusal === undefined) continue
        meant[caller.name] = refusal
        told[caller.name] = (
          await requester.ask(info, { ...input, authorization: caller.shows(info) })
        ).summary
      }
      expect(told).toEqual(meant)
      expect(changedTables(before, await fingerprint(instance.app.db))).toEqual([])
    })
  })

  describe.each(named(closed))('%s', (_, info) => {
    it('accepts every caller with access', async () => {
      const welcome = callers.filter((caller) => caller.refusal(info) === undefined)
      const wanted = ruleOf(info)?.credentials.join(' or ')
      expect(
        welcome.length,
        `test/kit/callers.ts has no one with a credential of the kind ${wanted}`,
      ).toBeGreaterThan(0)
      // Callers bound to a run or to assigned tenants need exactly these ids.
      const bound = info.surface === 'dm' || info.surface === 'cli' ? ['runId', 'tenantId'] : ['runId']
      const own = Object.entries(inputFor(instance, info).params).filter(([name]) => bound.includes(name))
      for (const caller of welcome) {
        const request = harmless(info, Object.fromEntries(own))
        const { summary } = await requester.ask(info, { ...request, authorization: caller.shows(info) })
        expect(summary, caller.name).not.toMatch(/^(401|403|429)/)
      }
    })
  })

  describe.each(named(open))('%s', (_, info) => {
    it('ignores credentials', async () => {
      const answers = new Set<string>()
      for (const caller of callers) {
        answers.add(
          (await requester.ask(info, { ...harmless(info, {}), authorization: caller.shows(info) })).summary,
        )
      }
      expect([...answers]).toHaveLength(1)
    })
  })
}
