import { randomInt } from 'node:crypto'
import type { Finding } from '@copydesk/core'
import type { Config } from './config/schema.ts'

/** How long the server may take to answer, milliseconds. */
const patienceMs = 5_000

/** A request as it arrived at the server. */
export interface Arrival {
  remote: string | null
  viaProxy: boolean
  forwardedFor: string | null
  ip: string
}

const name = 'proxy'
const page = 'docs/proxies.md shows how.'
const ok = (message: string): Finding => ({ name, ok: true, message })
const wrong = (message: string, remedy: string): Finding => ({ name, ok: false, message, remedy })

/**
 * Sends a request through the public address, with a made-up `X-Forwarded-For`, and checks how it arrives at
 * the server: whether callers can choose the address for which they are counted, or all count as one.
 * @param path the endpoint that reports how requests arrive; it accepts only the keys of this installation
 */
export async function examineProxy(path: string, config: Config): Promise<Finding> {
  const { baseUrl } = config
  // From a block reserved for documentation: no client has such an address.
  const forged = `198.51.100.${randomInt(1, 255)}`
  let response: Response
  try {
    response = await fetch(baseUrl + path, {
      headers: { 'x-forwarded-for': forged },
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    })
  } catch {
    return ok(`not checked: nothing answers at ${baseUrl}. Run this again while the server runs`)
  }
  if (response.status !== 200)
    return wrong(
      `${baseUrl} answers ${response.status}, which is not the answer of this installation's server`,
      'Set baseUrl to the address at which this server is reached from outside, and run it in this version with these keys.',
    )
  return judgeArrival((await response.json()) as Arrival, forged, config)
}

/** What an arrival reveals about the proxies in between, and about `trustProxy`. */
export function judgeArrival(
  { remote, viaProxy, forwardedFor, ip }: Arrival,
  forged: string,
  { baseUrl, trustProxy }: Pick<Config, 'baseUrl' | 'trustProxy'>,
): Finding {
  const isAppending = trustProxy.forwardedFor === 'append'
  if (forwardedFor === null)
    return wrong(
      `the proxy at ${remote} sends no X-Forwarded-For, so that all callers count as one`,
      `Configure it to set the header to the address of its caller. ${page}`,
    )
  const entries = forwardedFor.split(',').map((entry) => entry.trim())
  if (forwardedFor === forged) {
    if (isLocal(baseUrl)) return ok(`${baseUrl} is on this machine, without a proxy that changes the header`)
    return viaProxy
      ? wrong(
          `the proxy at ${remote} passes X-Forwarded-For on unchanged, and the server believes it: callers choose the address that they are counted by`,
          `Configure it to set the header, or to append to it and set trustProxy.forwardedFor to append. ${page}`,
        )
      : ok(
          `requests come from ${remote}, whose X-Forwarded-For is not trusted; if that is a proxy, add it to trustProxy`,
        )
  }
  const does = entries.includes(forged) ? 'appends to' : 'sets'
  if (!viaProxy)
    return wrong(
      `the proxy at ${remote} ${does} X-Forwarded-For, but is not trusted, so that all callers count as one`,
      `Add ${remote} to trustProxy.addresses${does === 'sets' ? '' : ', and set trustProxy.forwardedFor to append'}. ${page}`,
    )
  if (does === 'sets') return ok(`the proxy at ${remote} sets X-Forwarded-For; this request counts as ${ip}`)
  if (isAppending)
    return ok(
      `the proxy at ${remote} appends to X-Forwarded-For, as trustProxy says; this request counts as ${ip}`,
    )
  return wrong(
    `the proxy at ${remote} appends to X-Forwarded-For, and the server believes the first entry: callers choose the address that they are counted by`,
    `Set trustProxy.forwardedFor to append, or let the proxy set the header. ${page}`,
  )
}

function isLocal(baseUrl: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname)
}
