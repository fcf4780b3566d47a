import ipaddr from 'ipaddr.js'

const loopback = ['127.0.0.0/8', '::1/128']

/**
 * Finds the caller's address: the socket's, or the first entry of `X-Forwarded-For` when the socket belongs to a trusted
 * proxy.
 * @param trusted addresses and CIDR ranges; default loopback
 * @throws Error on an entry that is neither
 */
export function createClientIp(trusted: readonly string[] = loopback) {
  const ranges = trusted.map((entry) => {
    try {
      // `10.0.0` and `010.0.0.1` are addresses too, and not those that somebody meant.
      const [address = ''] = entry.split('/')
      if (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address)) throw new Error(address)
      return entry.includes('/') ? ipaddr.parseCIDR(entry) : wholeAddress(entry)
    } catch {
      throw new Error(`trustProxy: "${entry}" is neither an IP address nor a CIDR range`)
    }
  })
  // A proxy has few addresses; a caller that connects directly cannot grow this without end.
  const known = new Map<string, boolean>()

  function isTrusted(remote: string): boolean {
    let answer = known.get(remote)
    if (answer === undefined) {
      answer = ipaddr.isValid(remote) && matches(ipaddr.process(remote), ranges)
      if (known.size >= 1_000) known.clear()
      known.set(remote, answer)
    }
    return answer
  }

  return (remote: string | undefined, forwardedFor: string | undefined): string => {
    if (remote === undefined) return 'unknown'
    if (forwardedFor !== undefined && isTrusted(remote)) {
      const comma = forwardedFor.indexOf(',')
      const first = (comma < 0 ? forwardedFor : forwardedFor.slice(0, comma)).trim()
      if (first !== '') return first.slice(0, 64)
    }
    return remote.startsWith('::ffff:') ? remote.slice(7) : remote
  }
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
  // Some proxies write the port too, which is another one for each connection.
  const bare = /^\[(.*)\](?::\d*)?$/.exec(ip)?.[1] ?? /^([\d.]+):\d*$/.exec(ip)?.[1] ?? ip
  if (!ipaddr.IPv6.isValid(bare)) return bare
  const address = ipaddr.IPv6.parse(bare)
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
