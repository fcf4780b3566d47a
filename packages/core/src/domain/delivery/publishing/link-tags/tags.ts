import { address, withoutEnd } from '../addresses.ts'

/** What links to some hosts are given. */
export interface LinkTags {
  /** In lower case, without `www.`; hosts below them count as well. */
  hosts: readonly string[]
  /** `name=value&…`; as one text it keeps its order, which fields of a stored object do not. */
  query: string
}

/** A picture is fetched and not followed, so its address stays as it is. */
const pictureOrAddress = new RegExp(
  `!\\[[^[\\]\\n]{0,1000}\\]\\([^\\s()<>]{1,2000}\\)|${address.source}`,
  'g',
)

/** A text whose links to these hosts have the parameters. Links that have some of their own, such as `utm_id`, stay as they are. */
export function tagLinks(text: string, { hosts, query }: LinkTags): string {
  return text.replace(pictureOrAddress, (found) => {
    if (found.startsWith('!')) return found
    const url = withoutEnd(found)
    return isMeant(url, hosts) ? added(url, query) + found.slice(url.length) : found
  })
}

function isMeant(url: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(url)) return false
  const { hostname, searchParams } = new URL(url)
  if (Array.from(searchParams.keys()).some((name) => name.toLowerCase().startsWith('utm_'))) return false
  return isOnHost(hostname, hosts)
}

/** Whether a host is one of these, or below one. */
export const isOnHost = (hostname: string, hosts: readonly string[]): boolean =>
  hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))

/** The rest of the address stays byte by byte as people have approved it. */
function added(url: string, query: string): string {
  const [page = '', ...fragment] = url.split('#')
  const mark = !page.includes('?') ? '?' : /[?&]$/.test(page) ? '' : '&'
  return [`${page}${mark}${query}`, ...fragment].join('#')
}
