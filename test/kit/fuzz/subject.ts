import type { EndpointInfo } from '@copydesk/core'
import fc from 'fast-check'
import { serve } from '../../../packages/server/src/listen.ts'
import { assertContract, checkHeaders, checkUnparsed } from '../assert-contract.ts'
import { createPlayground } from './play.ts'
import { requests, type WireRequest } from './requests.ts'
import { exchange, readAnswers, type Way, ways } from './wire.ts'

/** A request, and over a socket the way in which it is sent. */
export interface Case {
  request: WireRequest
  way?: Way
}

/** What requests are played against. */
export interface Subject {
  cases(info: EndpointInfo): fc.Arbitrary<Case>
  /** Puts everything back to how it was. */
  reset(info: EndpointInfo): Promise<void>
  /** Lets time pass, so that limits of callers do not hide what stands behind them. */
  rest(info: EndpointInfo): void
  /** @returns the status of the answer, undefined where none was due. @throws Error on anything that is wrong */
  act(info: EndpointInfo, one: Case): Promise<number | undefined>
  /** Ends it. @throws Error when it does not let go of a request */
  stop(): Promise<void>
}

/** @param way `fetch`, `socket`, or `endless`: something that never ends, which shows that the fuzzers would tell of it */
export function createSubject(way: string | undefined): Promise<Subject> | Subject {
  if (way === 'socket') return onSocket()
  return way === 'endless' ? endless : throughFetch()
}

async function throughFetch(): Promise<Subject> {
  const playground = await createPlayground()
  return {
    cases: (info) => fc.record({ request: playground.cases(info) }),
    rest: (info) => playground.rest(info),
    async reset(info) {
      await playground.instance.reset()
      playground.rest(info)
    },
    act: (info, { request }) => playground.play(info, request),
    async stop() {
      await playground[Symbol.asyncDispose]()
    },
  }
}

/** Requests as bytes over a real socket, in all the ways in which HTTP can be spoken, right and wrong. */
async function onSocket(): Promise<Subject> {
  const playground = await createPlayground()
  const { copydesk } = playground.instance.app
  const served = await serve(copydesk.node, { port: 0, clientError: copydesk.clientError })
  let callers = 0
  /** Each request from another one: a proxy on this machine is believed. */
  const address = () => {
    callers += 1
    return `10.${callers >> 16}.${(callers >> 8) & 255}.${callers & 255}`
  }
  return {
    cases: (info) => fc.record({ request: playground.cases(info), way: ways }),
    rest: (info) => playground.rest(info),
    async reset(info) {
      await playground.instance.reset()
      playground.rest(info)
    },
    async act(info, { request, way }) {
      if (!way) throw new Error('A request over a socket is sent in some way')
      const headers = playground.headersOf(info, request)
      const target = request.target.replace(/[^\x21-\x7e]/g, '%20')
      const wire = way.send({ ...request, target, headers: [...headers, ['x-forwarded-for', address()]] })
      const isHead = way.how === 'as HEAD'
      const answer = readAnswers(await exchange(served.port, wire), isHead).at(-1)
      playground.checkQuiet()
      if (!answer) {
        if (!wire.broken) throw new Error(`Sent ${way.how}, the request got no answer`)
        return undefined
      }
      // What is no HTTP, or has too long a head, is refused by node's own parser, before there is a request that counts.
      const isParsed = answer.headers.has('x-ratelimit-limit')
      if (!isParsed && (wire.broken || answer.status === 431)) await checkUnparsed(answer, isHead)
      else if (isHead) checkHeaders(answer)
      else
        await assertContract(answer, undefined).catch((error: Error) => {
          throw new Error(`Sent ${way.how}: ${error.message}`, { cause: error })
        })
      return answer.status
    },
    async stop() {
      const health = await fetch(`${served.url}/health`, { headers: { 'x-forwarded-for': address() } })
      if (health.status !== 200) throw new Error(`The server answers ${health.status} to /health`)
      served.server.closeAllConnections()
      await copydesk.stop()
      await served.close()
      await playground[Symbol.asyncDispose]()
    },
  }
}

const endless: Subject = {
  cases: (info) => fc.record({ request: requests(info, { known: () => undefined }) }),
  rest: () => undefined,
  reset: async () => undefined,
  async act(_, { request }) {
    for (let day = 0; request.target.includes('startDate=') && day >= 0; day = (day + 1) % 1_000)
      Math.sqrt(day)
    return 200
  },
  stop: async () => undefined,
}
