import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { createPlayer, type Player } from '../../kit/fuzz/player.ts'
import { isLong, runs, seed } from '../../kit/fuzz/runs.ts'

/**
 * Right, nearly right and hostile requests, made from the schemas of every endpoint: whatever comes, the answer keeps to the
 * contract, nothing inside goes wrong, and no request costs the server more than it may (`test/kit/fuzz/watchdog.ts`). A
 * failure prints the seed and the smallest request that shows it.
 */

const endpoints = describeSurfaces()
const numRuns = runs(1_000, 1_200)

let player: Player
const answered: number[] = []

/** Those that were turned away for who asked, or for how often. */
const countRefused = (statuses: readonly number[]) =>
  statuses.filter((status) => status === 401 || status === 403 || status === 429).length

beforeAll(async () => {
  player = await createPlayer('fetch')
})

afterAll(() => player[Symbol.asyncDispose]())

describe.each(endpoints.map((info) => [`${info.method} ${info.path}`, info] as const))('%s', (_, info) => {
  it(
    'stays within the contract for any input, with bounded resources',
    async () => {
      const statuses = await player.play(info, { seed, numRuns })
      const { length } = statuses
      // Of a handful chance may turn away all; a token in the path is hardly ever guessed.
      const mayRefuseAll = length < 20 || info.path.includes('/:token')
      expect(
        countRefused(statuses),
        `of ${length} were refused authentication, access or quota`,
      ).toBeLessThanOrEqual(mayRefuseAll ? length : length * 0.8)
      answered.push(...statuses)
    },
    isLong ? 900_000 : 60_000,
  )
})

describe('the requests, taken together', () => {
  it('mostly pass access control', () => {
    expect(answered.length).toBeGreaterThan(0)
    expect(countRefused(answered)).toBeLessThan(answered.length * 0.5)
  })
})
