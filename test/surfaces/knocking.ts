import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { type Caller, ruleOf } from '../kit/callers.ts'
import { shutOutCallers } from '../kit/callers-keys.ts'
import { tokenCallers } from '../kit/callers-tokens.ts'
import { changedTables, fingerprint } from '../kit/rows.ts'
import { createWorld, type World } from '../kit/world.ts'
import { createDoor, harmless } from '../kit/door.ts'
import { inputFor } from '../kit/inputs.ts'

/** Which surfaces are tried together: all that one file tries has to be over within the time that a suspension is remembered. */
const groups = {
  platform: ['auth', 'admin', 'agent', 'root'],
  teams: ['dashboard', 'mobile', 'tenant'],
  reviewers: ['dm'],
  staff: ['cli'],
} as const

/** By the clock of the world, milliseconds: how long a suspension is remembered, and how long one test takes. */
const rememberedMs = 15 * 60_000
const paceMs = 2_500

/**
 * Tests that are generated from the route tables: who is refused where, with which words, and that a refusal leaves nothing
 * behind.
 */
export function knockOnEvery(group: keyof typeof groups): void {
  const all = describeSurfaces()
  const known = Object.values(groups).flat() as string[]
  const endpoints = all.filter(({ surface }) => (groups[group] as readonly string[]).includes(surface))
  const closed = endpoints.filter(({ access }) => !access.public)
  const open = endpoints.filter(({ access }) => access.public)

  it('leaves no surface out, and is over before anything is forgotten', () => {
    expect(all.map(({ surface }) => surface).filter((surface) => !known.includes(surface))).toEqual([])
    expect((closed.length * 2 + open.length) * paceMs).toBeLessThan(rememberedMs)
  })

  let world: World
  let door: ReturnType<typeof createDoor>
  let callers: Caller[]
  let before: string

  beforeAll(async () => {
    world = await createWorld()
    door = createDoor(world)
    callers = [...tokenCallers(world), ...(await shutOutCallers(world))]
    before = await fingerprint(world.app.db)
  })

  afterAll(() => world[Symbol.asyncDispose]())

  /**
   * So slowly that those who are shut out are remembered to the end, 15 minutes, and so fast that nobody calls more often than
   * a minute allows.
   */
  beforeEach(() => world.clock.advance(paceMs))

  const named = (all: readonly EndpointInfo[]) =>
    all.map((info) => [`${info.method} ${info.path}`, info] as const)

  describe.each(named(closed))('%s', (_, info) => {
    it('refuses everybody who has no business there, with the right words, and does nothing', async () => {
      // What would do something if the caller were let in.
      const input = inputFor(world, info)
      const told: Record<string, string> = {}
      const meant: Record<string, string> = {}
      for (const caller of callers) {
        const refusal = caller.refusal(info)
        if (refusal === undefined) continue
        meant[caller.name] = refusal
        told[caller.name] = (await door.ask(info, { ...input, authorization: caller.shows(info) })).summary
      }
      expect(told).toEqual(meant)
      expect(changedTables(before, await fingerprint(world.app.db))).toEqual([])
    })
  })

  describe.each(named(closed))('%s', (_, info) => {
    it('lets in those who are meant', async () => {
      const welcome = callers.filter((caller) => caller.refusal(info) === undefined)
      const wanted = ruleOf(info)?.credentials.join(' or ')
      expect(
        welcome.length,
        `test/kit/callers.ts has nobody with a credential of the kind ${wanted}`,
      ).toBeGreaterThan(0)
      // Who calls as one run, or is assigned to tenants, is let in with nothing else.
      const bound = info.surface === 'dm' || info.surface === 'cli' ? ['runId', 'tenantId'] : ['runId']
      const own = Object.entries(inputFor(world, info).params).filter(([name]) => bound.includes(name))
      for (const caller of welcome) {
        const knock = harmless(info, Object.fromEntries(own))
        const { summary } = await door.ask(info, { ...knock, authorization: caller.shows(info) })
        expect(summary, caller.name).not.toMatch(/^(401|403|429)/)
      }
    })
  })

  describe.each(named(open))('%s', (_, info) => {
    it('looks at no credential', async () => {
      const answers = new Set<string>()
      for (const caller of callers) {
        answers.add(
          (await door.ask(info, { ...harmless(info, {}), authorization: caller.shows(info) })).summary,
        )
      }
      expect([...answers]).toHaveLength(1)
    })
  })
}
