import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { createPlayground, isLong, type Playground, runs, seed } from '../kit/fuzz/play.ts'
import { exchange, readAnswers, ways } from '../kit/fuzz/wire.ts'
import { checkHeaders, checkUnparsed, judge } from '../kit/judge.ts'
import { type Served, serve } from '../../packages/server/src/listen.ts'

/** The same requests as bytes over a real socket, in all the ways in which HTTP can be spoken, right and wrong. */

const endpoints = describeSurfaces()
const numRuns = runs(200, 1_000)

let playground: Playground
let served: Served

beforeAll(async () => {
  playground = await createPlayground()
  const { copydesk } = playground.world.app
  served = await serve(copydesk.node, { port: 0, clientError: copydesk.clientError })
})

beforeEach(() => playground.world.reset())

afterAll(async () => {
  await served.close()
  await playground[Symbol.asyncDispose]()
})

describe.each(endpoints.map((info) => [`${info.method} ${info.path}`, info] as const))('%s', (_, info) => {
  it(
    'answers within the contract over a socket, and lives on',
    async () => {
      await fc.assert(
        fc.asyncProperty(playground.cases(info), ways, async (request, { how, send }) => {
          playground.rest(info)
          const headers = playground.headersOf(info, request)
          const target = request.target.replace(/[^\x21-\x7e]/g, '%20')
          const wire = send({ ...request, target, headers: [...headers, ['x-forwarded-for', address()]] })
          const isHead = how === 'as HEAD'
          const answer = readAnswers(await exchange(served.port, wire), isHead).at(-1)
          playground.checkQuiet()
          if (!answer) {
            if (!wire.broken) throw new Error(`Sent ${how}, the request got no answer`)
            return
          }
          // What is no HTTP, or has too long a head, is refused by node's own parser, before there is a request that counts.
          const isParsed = answer.headers.has('x-ratelimit-limit')
          if (!isParsed && (wire.broken || answer.status === 431)) return checkUnparsed(answer)
          if (isHead) return checkHeaders(answer)
          await judge(answer, undefined).catch((error: Error) => {
            throw new Error(`Sent ${how}: ${error.message}`, { cause: error })
          })
        }),
        { seed, numRuns, timeout: 10_000 },
      )
      const health = await fetch(`${served.url}/health`, {
        headers: { 'x-forwarded-for': address() },
      })
      expect(health.status).toBe(200)
    },
    isLong ? 600_000 : 60_000,
  )
})

describe('the server after all this', () => {
  it('has let go of every request, answered or not', async () => {
    served.server.closeAllConnections()
    await expect(playground.world.app.copydesk.stop()).resolves.toBeUndefined()
  })
})

let callers = 0

/** Each request from another one: a proxy on this machine is believed. */
function address(): string {
  callers += 1
  return `10.${callers >> 16}.${(callers >> 8) & 255}.${callers & 255}`
}
