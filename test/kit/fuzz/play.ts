import type { EndpointInfo } from '@copydesk/core'
import type { Logger } from '../../../packages/core/src/platform/log.ts'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { assertContract, checkNothingOfTheirs } from '../assert-contract.ts'
import { examplesFor } from '../input-examples.ts'
import { callerFor, knownTo, rolesFor } from '../inputs.ts'
import { createSeededInstance, type SeededInstance } from '../seeded-instance.ts'
import { requests, type WireRequest } from './requests.ts'
import type { Known } from './valid.ts'

const endpoints = describeSurfaces()

/** An instance for any request, which reports internal errors at once. */
export interface Playground extends AsyncDisposable {
  instance: SeededInstance
  /** The requests for an endpoint, see `requests`. */
  cases(info: EndpointInfo): ReturnType<typeof requests>
  /** The headers of a case with those of anyone who sends it. */
  headersOf(info: EndpointInfo, request: WireRequest): [string, string][]
  /**
   * Sends a case through `fetch` and holds the answer against the contract.
   * @returns its status. @throws Error on anything that is wrong
   */
  play(info: EndpointInfo, request: WireRequest): Promise<number>
  /** Lets time pass, so that limits of callers do not hide what stands behind them. */
  rest(info: EndpointInfo): void
  /** @throws Error when the installation has logged an error or a code was thrown that no one declared */
  checkQuiet(): void
}

export async function createPlayground(): Promise<Playground> {
  const faults: string[] = []
  const instance = await createSeededInstance({
    allowErrors: true,
    log: complaining(faults),
    onUndeclaredError: ({ endpoint, code }) =>
      void faults.push(`${endpoint} threw ${code}, which it does not declare`),
  })
  let callers = 0
  /** Everybody who may ask takes a turn. */
  const roleOf = (info: EndpointInfo) => rolesFor(info)[callers % Math.max(1, rolesFor(info).length)]
  const checkQuiet = () => {
    const [first] = faults.splice(0)
    if (first !== undefined) throw new Error(first)
  }
  const headersOf = (info: EndpointInfo, { target, headers }: WireRequest): [string, string][] => {
    const runId = instance.ours.atWork.find(({ taskId }) => target.includes(taskId))?.taskId
    const input = runId === undefined ? undefined : { params: { runId } }
    const authorization = callerFor(instance, info, input, roleOf(info))
    const all = headers.map(([name, value]): [string, string] => [name, value])
    return authorization === undefined ? all : [['authorization', authorization], ...all]
  }
  return {
    instance,
    cases: (info) => requests(info, { known: mixed(instance, info), examples: examplesFor(instance, info) }),
    headersOf,
    checkQuiet,
    rest({ definition: { limit } }) {
      instance.clock.advance(limit ? Math.ceil((limit.perSeconds * 1_000) / limit.requests) : 1_000)
    },
    async play(info, request) {
      callers += 1
      const role = roleOf(info)
      const url = new URL(`http://copydesk.test${request.target}`)
      const response = await instance.app.fetch(
        url.pathname + url.search,
        {
          method: request.method,
          headers: headersOf(info, request),
          ...(request.body && { body: request.body as Uint8Array<ArrayBuffer> }),
        },
        { ip: `10.${callers >> 16}.${(callers >> 8) & 255}.${callers & 255}` },
      )
      const answer = await assertContract(response, answering(request.method, url.pathname))
      if (role !== 'super_admin') checkNothingOfTheirs(answer.text)
      checkQuiet()
      return answer.status
    },
    [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose](),
  }
}

/** Ids of ours, and now and then of someone else. */
function mixed(instance: SeededInstance, info: EndpointInfo): Known {
  const [own, foreign] = [knownTo(instance, info, instance.ours), knownTo(instance, info, instance.theirs)]
  return (field) => {
    const known = own(field)
    return known && [...known, ...known, ...(foreign(field) ?? []).slice(0, 1)]
  }
}

/** The endpoint that a path leads to; undefined where it is open to doubt, or leads to none. */
function answering(method: string, path: string): EndpointInfo | undefined {
  const segments = path.split('/')
  if (segments.slice(1).includes('')) return undefined
  const fits = (info: EndpointInfo) => {
    const own = info.path.split('/')
    return (
      own.length === segments.length && own.every((part, i) => part.startsWith(':') || part === segments[i])
    )
  }
  const literal = ({ path: own }: EndpointInfo) =>
    own.split('/').filter((part) => !part.startsWith(':')).length
  return endpoints
    .filter((info) => info.method === method && fits(info))
    .toSorted((a, b) => literal(b) - literal(a))[0]
}

function complaining(faults: string[]): Logger {
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields) =>
      void faults.push(
        `${message}: ${(fields?.['error'] as Error | undefined)?.stack ?? JSON.stringify(fields)}`,
      ),
    child: () => logger,
  }
  return logger
}
