import { randomBytes } from 'node:crypto'
import type { Frontier } from './frontier.ts'
import { fetchPage } from './page.ts'
import type { Robots } from './robots.ts'
import { longestText, type PageScan } from './scan-page.ts'
import type { Scanner } from './scanner.ts'
import type { SiteAccess } from './site-request.ts'
import { atOrigin } from './urls.ts'

/** What a page says, and the address that it was asked for by. */
export interface SaidPage {
  url: string
  text: string
}

/** The page that a site shows with the status of a good one for addresses that do not exist, of one crawl. */
export interface MissingPage {
  /** Has to be told the start page: a site that shows it for every address cannot be asked. */
  start(page: SaidPage): void
  /**
   * Whether a page says what the site says of an address that cannot exist. The site is asked once, when the first page comes.
   * @throws the reason of the crawl's signal when that is aborted
   */
  isShownFor(page: SaidPage, robots: Robots): Promise<boolean>
  /** What it says, null where the site has none; undefined before it was asked. */
  readonly known: SaidPage | null | undefined
}

/** @param known what a crawl that is continued has found */
export function createMissingPage(
  { site, scanner, frontier }: { site: SiteAccess; scanner: Scanner; frontier: Frontier },
  known: SaidPage | null | undefined,
): MissingPage {
  let first: SaidPage | undefined
  let found = known
  let asking: Promise<SaidPage | null> | undefined

  const ask = async (robots: Robots): Promise<SaidPage | null> => {
    const { origin, pathPrefix } = frontier.scope
    const url = `${origin}${pathPrefix.replace(/\/+$/, '')}/${missingName}${randomBytes(8).toString('hex')}`
    let at = url
    for (let redirects = 0; redirects <= 1; redirects += 1) {
      if (!robots.allows(at)) return null
      const answer = await fetchPage(site, scanner, at, undefined)
      if (answer.outcome === 'page') return said(url, answer.scan)
      const to =
        answer.outcome === 'redirect' && answer.to !== undefined && atOrigin(answer.to, frontier.scope)
      if (!to) return null
      at = to
    }
    return null
  }

  return {
    start(page) {
      first ??= page
    },
    async isShownFor(page, robots) {
      if (found === undefined && first) {
        const missing = await (asking ??= ask(robots))
        found = missing && !saysTheSame(missing, first) ? missing : null
      }
      return found ? saysTheSame(page, found) : false
    },
    get known() {
      return found
    },
  }
}

/** What the name of a page begins with that cannot exist; it says in the logs of the site why it was asked for. */
export const missingName = 'copydesk-no-such-page-'

const said = (url: string, { text }: Pick<PageScan, 'text'>): SaidPage | null =>
  text === '' || text.length >= longestText ? null : { url, text }

/** Whether two pages say the same, apart from numbers and from the addresses that they were asked for by, which such pages repeat. */
function saysTheSame(one: SaidPage, other: SaidPage): boolean {
  if (one.text.length >= longestText) return false
  const names = [one.url, other.url].flatMap(namesIn).toSorted((a, b) => b.length - a.length)
  const plain = (text: string) =>
    names
      .reduce((rest, name) => rest.replaceAll(name, ' '), text.toLowerCase())
      .replace(/\d+/g, '#')
      .replace(/\s+/g, ' ')
      .trim()
  return plain(one.text) === plain(other.text)
}

/** Parts of an address that a page may repeat, in lower case; very short ones are parts of other words. */
function namesIn(address: string): string[] {
  const { href, pathname, search } = new URL(address)
  const parts = [href, pathname + search, pathname, ...pathname.split('/')]
  return [...new Set([...parts, ...parts.map(decoded)])]
    .map((part) => part.toLowerCase())
    .filter((part) => part.length > 2)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
