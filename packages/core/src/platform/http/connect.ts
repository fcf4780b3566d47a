import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, Pool } from 'undici'
import { type Guard, type Target, targetOf } from './guard.ts'
import { OutboundError } from './outbound-error.ts'

/** Resolves a host name to all its addresses; an empty list or an error means that there is no such host. */
export type Lookup = (host: string) => Promise<ReadonlyArray<{ address: string; family: 4 | 6 }>>

/** The machine's own resolver. */
const resolveHost: Lookup = async (host) => {
  const found = await systemLookup(host, { all: true, order: 'verbatim' })
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/**
 * A pool of connections in which each one has been through the guard: the literal in the URL, every address that the
 * name resolves to, and the address at the other end of the socket. One resolution serves check and connection, so a
 * second answer of the name server cannot get in between.
 */
export function createGuardedAgent(options: {
  guard: Guard
  /** The machine's own resolver by default. */
  lookup: Lookup | undefined
  connectTimeoutMs: number
}): Agent {
  const { guard, lookup = resolveHost, connectTimeoutMs } = options
  return new Agent({
    // Time and size are limited by the client, over redirects and decoding too.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, pool) => {
      const target = targetOf(new URL(origin))
      const dial = buildConnector({
        timeout: connectTimeoutMs,
        lookup: guardedLookup(guard, lookup, target),
      })
      return new Pool(origin, { ...(pool as Pool.Options), connect: guardConnection(guard, target, dial) })
    },
  })
}

/** Checks a literal before `dial` is called, and after it the address that the socket is connected to. */
export function guardConnection(
  guard: Guard,
  target: Target,
  dial: buildConnector.connector,
): buildConnector.connector {
  return (options, callback) => {
    try {
      if (isIP(target.host) !== 0) guard.checkAddress(target.host, target)
    } catch (error) {
      callback(error as Error, null)
      return
    }
    dial(options, (...result) => {
      const [error, socket] = result
      if (error) {
        callback(error, null)
        return
      }
      try {
        guard.checkAddress(socket.remoteAddress ?? '', target)
      } catch (refusal) {
        socket.destroy()
        callback(refusal as Error, null)
        return
      }
      callback(null, socket)
    })
  }
}

/** Node's lookup hook: one bad address among many refuses the host. */
function guardedLookup(guard: Guard, lookup: Lookup, target: Target): LookupFunction {
  return (_hostname, { all }, callback) => {
    resolveChecked(guard, lookup, target).then(
      (found) => {
        const [first] = found
        if (all) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
}

type Found = [{ address: string; family: 4 | 6 }, ...Array<{ address: string; family: 4 | 6 }>]

async function resolveChecked(guard: Guard, lookup: Lookup, target: Target): Promise<Found> {
  let found: Awaited<ReturnType<Lookup>>
  try {
    found = await lookup(target.host)
  } catch (cause) {
    throw unknownHost(target, cause)
  }
  const [first, ...more] = found
  if (!first) throw unknownHost(target)
  for (const { address } of found) guard.checkAddress(address, target)
  return [first, ...more]
}

function unknownHost({ host }: Target, cause?: unknown): OutboundError {
  return new OutboundError('dns', `The name ${host} has no address.`, { cause })
}
