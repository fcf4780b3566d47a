import { STATUS_CODES } from 'node:http'
import { OutboundError } from '../http/outbound-error.ts'
import { ThreadFault } from '../threads/threads.ts'

/** Why a page was not read, in words for the people who ask for the crawl. */
export const reasons = {
  robots: 'The site does not allow crawlers to read this page (robots.txt).',
  robotsUnreachable: 'The robots.txt of the site cannot be read at the moment, so no page may be read.',
  noindex: 'The page asks not to be indexed (noindex).',
  outsidePath: (pathPrefix: string) => `The page is not below ${pathPrefix}.`,
  document: (kind: string) => `This is a file (${kind}) and no web page: upload it instead.`,
  contentType: (type: string) => `This is no web page, but ${type}.`,
  notText: 'This is said to be a web page, and is not one.',
  tooLarge: 'The page is larger than 5 MB.',
  canonical: (url: string) => `This is a copy of ${url}.`,
  redirect: (url: string) => `The page has moved to ${url}.`,
  otherSite: (url: string) => `The page has moved to another site, ${new URL(url).host}.`,
  redirectNowhere: 'The page redirects to an address that cannot be read.',
  redirectLoop: 'The page redirects in a circle.',
  redirectsTooOften: 'The page redirects too often.',
  missing: 'The site shows this page for addresses that do not exist, so there is no such page any more.',
  unreadable: 'This takes too long to read.',
}

const ofRequest: Partial<Record<OutboundError['reason'], string>> = {
  timeout: 'There was no complete answer within 20 seconds.',
  dns: 'There is no site at this address.',
  connect: 'The site cannot be reached.',
  network: 'The connection to the site broke.',
  address: 'The site is in a private network, which is not read.',
  bad_response: 'The site sent something that cannot be read.',
}

/** In plain words what a request or the reading of a page failed with. @throws what is neither */
export function reasonOf(error: unknown): string {
  if (error instanceof ThreadFault) return reasons.unreadable
  if (!(error instanceof OutboundError)) throw error
  return ofRequest[error.reason] ?? 'This address cannot be asked for.'
}

/** In plain words a status that is no page. */
export function reasonOfStatus(status: number): string {
  if (status === 404 || status === 410) return `The page does not exist any more (${status}).`
  if (status === 401 || status === 407) return `A login is needed (${status}).`
  if (status === 403 || status === 451) return `The site does not let us read this (${status}).`
  if (status === 429) return 'The site asks for fewer requests (429); try again later.'
  if (status === 503) return 'The site is not available at the moment (503).'
  if (status >= 500) return `The site has an error of its own (${status}).`
  return `The site answered with ${status} ${STATUS_CODES[status] ?? ''}`.trim().concat('.')
}
