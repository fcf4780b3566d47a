import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { OutboundError } from './outbound-error.ts'

/** Where a request wants to go, as the URL says it. */
export interface Target {
  /** Lower case, without brackets and without a final dot. */
  host: string
  port: number
}

/** Decides which hosts and addresses may be reached. */
export interface Guard {
  /**
   * Checks everything that can be seen in the URL alone.
   * @returns the parsed URL, without its fragment
   * @throws {OutboundError} `bad_url`, `scheme`, `credentials` or `address`
   */
  checkUrl(url: string | URL): URL
  /** Checks one resolved or connected address on the way to `target`. @throws {OutboundError} `address` */
  checkAddress(address: string, target: Target): void
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]
type Rule =
  | { kind: 'network'; network: Network; port: number | undefined }
  | { kind: 'name'; host: string; port: number | undefined }

/** The only part of IPv6 that is public unicast today; `::/96`, `64:ff9b::/96` and unassigned space are outside. */
const GLOBAL_UNICAST: Network = [ipaddr.IPv6.parse('2000::'), 3]

/** What an allowed name may resolve to besides public addresses; link-local and metadata must be allowed by address. */
const INTRANET = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'])

/** Services of cloud hosts for the machines on them, at addresses that look public or like the intranet. */
const CLOUD_METADATA: readonly Network[] = [
  '168.63.129.16/32',
  '100.100.100.200/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
].map((network) => ipaddr.parseCIDR(network))

/**
 * The rules of outbound traffic: http and https, no credentials in the URL, public unicast addresses only.
 * @param allowHosts exceptions for on-premises hosts: `name`, `name:port`, an address, `address:port` (IPv6 in
 *   brackets) or a CIDR network. A name lifts the rule for loopback and private addresses it resolves to.
 * @throws {TypeError} on an entry that is none of these
 */
export function createGuard(allowHosts: readonly string[] = []): Guard {
  const rules = allowHosts.map(parseRule)

  const allows = (address: Address, target: Target): boolean =>
    rules.some((rule) => {
      if (rule.port !== undefined && rule.port !== target.port) return false
      if (rule.kind === 'network') return isIn(address, rule.network)
      return rule.host === target.host && INTRANET.has(address.range()) && !isMetadata(address)
    })

  const checkAddress: Guard['checkAddress'] = (text, target) => {
    const address = parseAddress(text)
    if (address && (isPublicUnicast(address) || allows(address, target))) return
    throw new OutboundError(
      'address',
      `${target.host} is not a public address. Allow the host in the configuration if it is your own.`,
      { address: text },
    )
  }

  return {
    checkAddress,
    checkUrl(input) {
      if (!URL.canParse(input)) throw new OutboundError('bad_url', 'The URL cannot be read.')
      const url = new URL(input)
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new OutboundError('scheme', `Only http and https are allowed, not "${url.protocol}".`)
      }
      if (url.username !== '' || url.password !== '') {
        throw new OutboundError('credentials', 'A URL must not carry a user name or password; use a header.')
      }
      const target = targetOf(url)
      if (target.host === '') throw new OutboundError('bad_url', 'The URL names no host.')
      if (isIP(target.host) !== 0) checkAddress(target.host, target)
      url.hash = ''
      return url
    },
  }
}

/** Host and port of a URL. The URL parser has turned decimal, octal, hex and wide-digit forms into plain ones. */
export function targetOf(url: URL): Target {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return { host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) }
}

function isPublicUnicast(address: Address): boolean {
  if (address.range() !== 'unicast' || isMetadata(address)) return false
  if (address instanceof ipaddr.IPv4) return true
  return address.match(GLOBAL_UNICAST) && !isIsatap(address)
}

function isMetadata(address: Address): boolean {
  return CLOUD_METADATA.some((network) => isIn(address, network))
}

function isIn(address: Address, network: Network): boolean {
  return address.kind() === network[0].kind() && address.match(network)
}

/** ISATAP (RFC 5214) hides an IPv4 address in the last half of any prefix. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe
}

/** Takes only the plain forms that resolvers and sockets give; anything odd, a zone id too, is no address. */
function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return ipaddr.parse(text)
}

function parseRule(entry: string): Rule {
  const text = entry.trim().toLowerCase()
  if (text.includes('/')) {
    // Short and octal forms ("10/8", "010.0.0.0/8") would open another network than the one that was meant.
    if (!parseAddress(text.slice(0, text.indexOf('/'))) || !ipaddr.isValidCIDR(text)) throw unreadable(entry)
    return { kind: 'network', network: ipaddr.parseCIDR(text), port: undefined }
  }
  if (isIP(text) === 6 && parseAddress(text)) return networkRule(text, undefined)
  const [, bracketed, name, digits] =
    /^(?:\[([0-9a-f:.]+)\]|([^\s:/@?#[\]*,]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) throw unreadable(entry)
  if (bracketed !== undefined && isIP(bracketed) === 6) return networkRule(bracketed, port)
  if (name === undefined || !URL.canParse(`http://${name}`)) throw unreadable(entry)
  const { host } = targetOf(new URL(`http://${name}`))
  if (isIP(host) !== 0) return networkRule(host, port)
  return { kind: 'name', host, port }
}

function networkRule(text: string, port: number | undefined): Rule {
  const address = ipaddr.parse(text)
  return { kind: 'network', network: [address, address.kind() === 'ipv4' ? 32 : 128], port }
}

function unreadable(entry: string): TypeError {
  const forms = '"host", "host:port", an IP address, "address:port" or a network such as "10.0.0.0/8"'
  return new TypeError(`Allowed host "${entry}" cannot be read; give ${forms}.`)
}
