import { z } from 'zod'
import type { PlatformCall, PlatformRequest } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import { addressOf, readAs } from '../requests.ts'

const hosted = 'https://public-api.wordpress.com'

const Root = z.object({
  name: z.string().default(''),
  namespaces: z.array(z.string()),
  // An empty list where nothing is offered: that is how PHP writes an empty map.
  authentication: z
    .object({ 'application-passwords': z.object({ endpoints: z.object({ authorization: z.url() }) }) })
    .optional()
    .catch(undefined),
})

/** A self-hosted site as it describes itself. */
export interface DescribedSite {
  /** Where its API begins: a folder, or a query where addresses are not rewritten. */
  api: string
  name: string
  /** Where a person agrees to an application password. */
  authorizeUrl: string
}

/**
 * Finds the API of a site.
 * @throws PlatformError `validation` where there is none, `policy` where it gives out no application passwords
 */
export async function describeSite(call: PlatformCall, server: string): Promise<DescribedSite> {
  for (const api of [`${server}/wp-json/`, `${server}/?rest_route=/`]) {
    const { status, body } = await call.ask({ url: api }, [301, 302, 307, 308, 400, 401, 403, 404, 405])
    if (status >= 300 && status < 400)
      throw new PlatformError(
        'validation',
        'The site answers at another address: give the one that it shows to visitors',
      )
    const root = Root.safeParse(body)
    if (!root.success || !root.data.namespaces.includes('wp/v2')) continue
    const { name, authentication } = root.data
    const authorizeUrl = authentication?.['application-passwords'].endpoints.authorization
    if (authorizeUrl === undefined)
      throw new PlatformError(
        'policy',
        'The site gives out no application passwords: they need https, and must not be switched off',
      )
    if (new URL(authorizeUrl).hostname !== new URL(server).hostname)
      throw new PlatformError('validation', 'The site asks for consent on another host: give that address')
    return { api, name, authorizeUrl }
  }
  throw new PlatformError('validation', 'There is no WordPress site with its REST API at this address')
}

/** A route of the API of the account's site. */
export function routeOf(call: PlatformCall, route: string, query: Record<string, string> = {}): URL {
  const { api, site } = call.account
  if (api === undefined && site === undefined)
    throw new PlatformError('policy', 'No site has been chosen: connect the channel again')
  const url = new URL(api ?? hostedUrl(call.urls.baseUrl, `/wp/v2/sites/${encodeURIComponent(site ?? '')}/`))
  // Where addresses are not rewritten, the route is a parameter as well.
  if (url.searchParams.has('rest_route')) url.searchParams.set('rest_route', `/wp/v2/${route}`)
  else url.pathname += api === undefined ? route : `wp/v2/${route}`
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

/** An address of WordPress.com that is about the account. */
export const hostedUrl = (base: string | undefined, path: string): URL => addressOf(hosted + path, base)

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' }
const signs = new Map(Object.entries(marks).map(([sign, mark]) => [mark, sign]))

/** A text as WordPress keeps it in HTML; quotation marks are left to its typography. */
export const asHtml = (text: string): string => text.replace(/[&<>]/g, (sign) => marks[sign] ?? sign)

/** A name as people read it: WordPress keeps it in HTML. */
export const asText = (html: string): string =>
  html.replace(/&(?:amp|lt|gt|quot|#039);/g, (mark) => signs.get(mark) ?? mark)

export function loginOf({ secrets }: PlatformCall): { authorization: string } {
  const { accessToken, username = '', secret = '' } = secrets
  if (accessToken !== undefined) return { authorization: `Bearer ${accessToken}` }
  return { authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` }
}

/** A request to the API with the account's login. */
export async function requestSite<S extends z.ZodType>(
  call: PlatformCall,
  request: PlatformRequest,
  schema: S,
): Promise<z.output<S>> {
  return readAs(await call.request({ ...request, headers: { ...request.headers, ...loginOf(call) } }), schema)
}
