import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { createPlayer, type Player } from '../../kit/fuzz/player.ts'
import { isLong, runs, seed } from '../../kit/fuzz/runs.ts'

/** The same requests as bytes over a real socket, in all the ways in which HTTP can be spoken, right and wrong. */

const endpoints = describeSurfaces()
const numRuns = runs(200, 600)

let player: Player

beforeAll(async () => {
  player = await createPlayer('socket')
})

afterAll(() => player[Symbol.asyncDispose]())

describe.each(endpoints.map((info) => [`${info.method} ${info.path}`, info] as const))('%s', (_, info) => {
  it(
    'stays within the contract over a socket, with bounded resources',
    async () => {
      const statuses = await player.play(info, { seed, numRuns })
      expect(statuses.length).toBeLessThanOrEqual(numRuns)
    },
    isLong ? 900_000 : 60_000,
  )
})

describe('the server after all fuzz requests', () => {
  it('is healthy, and has released every request, answered or not', async () => {
    await expect(player.stop()).resolves.toBeUndefined()
  })
})
