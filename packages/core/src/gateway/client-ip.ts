import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

/** Whose `X-Forwarded-For` is believed, and what it means. */
export interface TrustedProxies {
  /** Addresses and CIDR ranges; default loopback. */
  addresses?: readonly string[] | undefined
  /**
   * `set` (default): the proxy writes the header itself, and its first entry is the caller. `append`: each proxy adds the address
   * that it was called from, and the caller is the rightmost entry that no trusted proxy wrote; what stands before it is the
   * caller's own word.
   */
  forwardedFor?: 'set' | 'append' | undefined
}

/** The same as it may be written: a list means proxies that set the header. */
export function trustedProxies(given: readonly string[] | TrustedProxies): TrustedProxies {
  return 'length' in given ? { addresses: given } : given
}

export interface ClientIp {
  /** The caller's address; `unknown` where the connection has none. */
  (remote: string | undefined, forwardedFor: string | undefined): string
  /** Whether an address is that of a trusted proxy. */
  trusts(remote: string): boolean
}

const loopback = ['127.0.0.0/8', '::1/128']
/** No address is longer; what a proxy wrote is counted by it all the same. */
const longest = 64

/**
 * Finds the caller's address: the socket's, or what `X-Forwarded-For` says when the socket belongs to a trusted proxy.
 * @throws Error on an address that is none
 */
// Not `proxy-addr`: it knows no proxies that set the header, and no port behind an address.
export function createClientIp({ addresses = loopback, forwardedFor: form }: TrustedProxies = {}): ClientIp {
  const ranges = addresses.map((entry) => {
    try {
      // `10.0.0` and `010.0.0.1` are addresses too, and not those that someone meant.
      const [address = ''] = entry.split('/')
      if (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address)) throw new Error(address)
      return entry.includes('/') ? ipaddr.parseCIDR(entry) : wholeAddress(entry)
    } catch {
      throw new Error(`trustProxy: "${entry}" is neither an IP address nor a CIDR range`)
    }
  })
  // A proxy has few addresses; a caller that connects directly cannot grow this without end.
  const known = new LRUCache<string, boolean>({
    max: 1_000,
    memoMethod(remote) {
      const address = withoutPort(remote)
      return ipaddr.isValid(address) && matches(ipaddr.process(address), ranges)
    },
  })
  const trusts = (remote: string) => known.memo(remote)

  function find(remote: string | undefined, forwardedFor: string | undefined): string {
    if (remote === undefined) return 'unknown'
    const named =
      forwardedFor === undefined || !trusts(remote)
        ? undefined
        : form === 'append'
          ? lastFromOutside(forwardedFor, trusts)
          : firstOf(forwardedFor)
    if (named !== undefined) return named
    return remote.startsWith('::ffff:') ? remote.slice(7) : remote
  }
  return Object.assign(find, { trusts })
}

function firstOf(forwardedFor: string): string | undefined {
  const comma = forwardedFor.indexOf(',')
  const first = (comma < 0 ? forwardedFor : forwardedFor.slice(0, comma)).trim()
  return first === '' ? undefined : first.slice(0, longest)
}

/** Each proxy has written, behind what it was given, who called it: the first from the right that is no proxy is the caller. */
function lastFromOutside(forwardedFor: string, trusts: (address: string) => boolean): string | undefined {
  let found: string | undefined
  let rest: string | undefined = forwardedFor
  while (rest !== undefined) {
    const comma: number = rest.lastIndexOf(',')
    const entry = rest
      .slice(comma + 1)
      .trim()
      .slice(0, longest)
    rest = comma < 0 ? undefined : rest.slice(0, comma)
    if (entry === '') continue
    found = entry
    if (!trusts(entry)) break
  }
  return found
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

function wholeAddress(text: string): Range {
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function matches(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Range[]): boolean {
  return ranges.some(
    ([range, bits]) => address.kind() === range.kind() && address.match([range, bits] as never),
  )
}

/** The unit that an address is counted by: an IPv6 network of 64 bits is one household, an IPv4 address is itself. */
export function countedAs(ip: string): string {
  if (!ip.includes(':')) return ip
  const bare = withoutPort(ip)
  if (!ipaddr.IPv6.isValid(bare)) return bare
  const address = ipaddr.IPv6.parse(bare)
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** Some proxies write the port too, which is another one for each connection. */
function withoutPort(ip: string): string {
  return /^\[(.*)\](?::\d*)?$/.exec(ip)?.[1] ?? /^([\d.]+):\d*$/.exec(ip)?.[1] ?? ip
}
