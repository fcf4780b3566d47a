import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { createPlayground, isLong, type Playground, runs, seed } from '../kit/fuzz/play.ts'

/**
 * Right, nearly right and hostile requests, made from the schemas of every endpoint: whatever comes, the answer keeps to the
 * contract, comes in time, and nothing inside goes wrong. A failure prints the seed and the smallest request that shows it.
 */

const endpoints = describeSurfaces()
const numRuns = runs(1_000, 3_000)

let playground: Playground

beforeAll(async () => {
  playground = await createPlayground()
})

afterAll(() => playground[Symbol.asyncDispose]())

describe.each(endpoints.map((info) => [`${info.method} ${info.path}`, info] as const))('%s', (_, info) => {
  it(
    'answers within the contract, whatever it is asked',
    async () => {
      const statuses: number[] = []
      await fc.assert(
        fc.asyncProperty(playground.cases(info), async (request) => {
          // What one case has used up is there again for later ones.
          if (statuses.length % 20 === 0) await playground.world.reset()
          playground.rest(info)
          statuses.push((await playground.play(info, request)).status)
        }),
        { seed, numRuns, timeout: 10_000 },
      )
      const refused = statuses.filter((status) => status === 401 || status === 403 || status === 429)
      expect(refused.length, `of ${statuses.length} came no further than the door`).toBeLessThan(
        // Of a handful chance may turn away all but one.
        Math.max(statuses.length * 0.8, Math.min(statuses.length, 10)),
      )
    },
    isLong ? 600_000 : 60_000,
  )
})
