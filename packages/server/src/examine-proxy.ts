import { randomInt } from 'node:crypto'
import type { Finding } from '@copydesk/core'
import type { Config } from './config/schema.ts'

/** How long the server may take to answer, milliseconds. */
const patienceMs = 5_000

/** A request as it has arrived at the server. */
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
 * Sends a request through the public address, with an `X-Forwarded-For` that it has made up, and looks what has become of that at
 * the server: whether callers can choose the address that they are counted by, or all count as one.
 * @param path where the server tells how requests arrive; it opens to the keys of this installation only
 */
export async function examineProxy(path: string, config: Config): Promise<Finding> {
  const { baseUrl } = config
  // Of a block that is for documentation: nobody has such an address.
  const forged = `198.51.100.${randomInt(1, 255)}`
  let response: Response
  try {
    response = await fetch(baseUrl + path, {
      headers: { 'x-forwarded-for': forged },
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    })
  } catch {
    return ok(`not looked at: nothing answers at ${baseUrl}. Run this again while the server runs`)
  }
  if (response.status !== 200)
    return wrong(
      `${baseUrl} answers ${response.status}, not as the server of this installation does`,
      'Set baseUrl to the address at which this server is reached from outside, and let it run in this version with these keys.',
    )
  return judgeArrival((await response.json()) as Arrival, forged, config)
}

/** What an arrival says about the proxies in between, and about `trustProxy`. */
export function judgeArrival(
  { remote, viaProxy, forwardedFor, ip }: Arrival,
  forged: string,
  { baseUrl, trustProxy }: Pick<Config, 'baseUrl' | 'trustProxy'>,
): Finding {
  const isAppending = trustProxy.forwardedFor === 'append'
  if (forwardedFor === null)
    return wrong(
      `the proxy at ${remote} hands on no X-Forwarded-For, so that all callers count as one`,
      `Let it set the header to the address of its caller. ${page}`,
    )
  const entries = forwardedFor.split(',').map((entry) => entry.trim())
  if (forwardedFor === forged) {
    if (isLocal(baseUrl))
      return ok(`${baseUrl} is on this machine, without a proxy that would change anything`)
    return viaProxy
      ? wrong(
          `the proxy at ${remote} hands X-Forwarded-For on as its caller wrote it, and the server believes it: callers choose the address that they are counted by`,
          `Let it set the header, or append to it and set trustProxy.forwardedFor to append. ${page}`,
        )
      : ok(
          `requests come from ${remote}, whose X-Forwarded-For is not believed; if that is a proxy, name it in trustProxy`,
        )
  }
  const does = entries.includes(forged) ? 'appends to' : 'sets'
  if (!viaProxy)
    return wrong(
      `the proxy at ${remote} ${does} X-Forwarded-For, but is not trusted, so that all callers count as one`,
      `Name ${remote} in trustProxy.addresses${does === 'sets' ? '' : ', and set trustProxy.forwardedFor to append'}. ${page}`,
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
