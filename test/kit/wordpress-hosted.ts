import type { SiteAnswer } from './wordpress-media.ts'

/** What WordPress.com knows of tokens and sites. */
interface HostedSites {
  accepts(token: string): boolean
  sites: readonly number[]
}

/** What WordPress.com answers about tokens and the sites that they are for. */
export function answerAsHost(
  { accepts, sites }: HostedSites,
  { path, url, token }: { path: string; url: URL; token: string },
): SiteAnswer {
  const about = (ID: number) => ({
    ID,
    name: `Oats ${ID} at WordPress.com`,
    URL: `https://oats${ID}.wordpress.example`,
  })
  if (path === '/oauth2/token-info')
    return accepts(url.searchParams.get('token') ?? '') && url.searchParams.get('client_id') === 'the-client'
      ? {
          status: 200,
          body: {
            client_id: 'the-client',
            user_id: '7',
            ...(sites.length === 1
              ? { blog_id: String(sites[0]), scope: '' }
              : { blog_id: 0, scope: 'global' }),
          },
        }
      : { status: 400, body: { error: 'invalid_token', error_description: 'The token is invalid' } }
  if (!accepts(token))
    return { status: 400, body: { error: 'invalid_token', message: 'The token is invalid' } }
  if (path === '/rest/v1.1/me/sites') return { status: 200, body: { sites: sites.map(about) } }
  const id = Number(/^\/rest\/v1\.1\/sites\/(\d+)$/.exec(path)?.[1])
  return sites.includes(id)
    ? { status: 200, body: about(id) }
    : { status: 404, body: { error: 'unknown_blog', message: 'Unknown blog' } }
}
