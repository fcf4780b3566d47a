import { invalid } from '../../../../kernel/errors.ts'
import { isPublicAddress } from '../../../../platform/http/public-address.ts'
import { isOnHost } from '../../publishing/link-tags/tags.ts'

const longest = 2_048
/** A name of the public web: no address in numbers, no name of a network of one's own. */
const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/

/**
 * The page that an ad leads to, as it is sent to the platform.
 * @param hosts the tenant's own websites; none: not known
 * @throws DomainError `VALIDATION_ERROR` on the field
 */
export function requireFinalUrl(field: string, text: string, hosts: readonly string[]): string {
  const obstacle = obstacleTo(text, hosts)
  if (obstacle !== undefined) throw invalid(field, obstacle)
  return new URL(text).href
}

function obstacleTo(text: string, hosts: readonly string[]): string | undefined {
  // Parsers drop or turn some of these, and Google puts something in the place of braces.
  if (/[\s\p{C}\\{}<>"`^|]/u.test(text)) return 'Contains a character that no address has'
  if (!/^https:\/\/[^/]/i.test(text) || !URL.canParse(text))
    return 'Must be an address that begins with https://'
  const { username, password, port, hostname, href } = new URL(text)
  if (username !== '' || password !== '' || text.split(/[/?#]/)[2]?.includes('@'))
    return 'Must have no user name or password'
  if (port !== '') return 'Must have no port'
  if (!hostName.test(hostname) || !isPublicAddress(href)) return 'Must be on a public website'
  if (href.length > longest) return `Must have at most ${longest} characters`
  if (hosts.length > 0 && !isOnHost(hostname, hosts))
    return `Must be on a website of your own: ${hosts.join(', ')}`
  return undefined
}
