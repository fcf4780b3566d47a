import { counter, fails, fetchInto, type Platform, type Said, says, serve } from './frame.ts'

/** LinkedIn's versioned API, for a member who is the administrator of one page. */
export async function createLinkedIn(): Promise<Platform> {
  const { add, published } = counter()
  const posts = new Map<string, { id: string; author: string; commentary: string; createdAt: number }>()
  const images = new Map<string, 'WAITING_UPLOAD' | 'AVAILABLE'>()
  let next = 7_000_000_000_000_000_000n
  const refuse = (status: number, code: string, rest: object = {}): Said => ({
    status,
    body: { status, code, message: `No: ${code}`, ...rest },
  })
  const server = await serve(
    ({ method, path, url, token, json, headers, query, bytes }): Said => {
      if (path.startsWith('/upload/')) {
        if (bytes.length === 0) return fails(400)
        server.pictures.push(bytes)
        images.set(`urn:li:image:${path.slice('/upload/'.length)}`, 'AVAILABLE')
        return fails(201)
      }
      if (!platform.accepts(token)) return refuse(401, 'INVALID_ACCESS_TOKEN')
      if (path === '/v2/userinfo') return says({ sub: 'ada1', name: 'Ada Lovelace' })
      if (!/^\d{6}$/.test(String(headers['linkedin-version']))) return refuse(400, 'VERSION_MISSING')
      if (path === '/rest/organizationAcls')
        return says({ elements: [{ organization: 'urn:li:organization:42', role: 'ADMINISTRATOR' }] })
      if (path === '/rest/organizations/42') return says({ localizedName: 'Oats Inc.', vanityName: 'oats' })
      if (path === '/rest/images') {
        next += 1n
        images.set(`urn:li:image:${next}`, 'WAITING_UPLOAD')
        return says({ value: { uploadUrl: `${server.url}/upload/${next}`, image: `urn:li:image:${next}` } })
      }
      if (path === '/rest/organizationalEntityShareStatistics') {
        const [, urn = ''] = /&shares=List\(([^()]+)\)$/.exec(url.search) ?? []
        if (headers['x-restli-method'] !== 'FINDER' || !urn.includes('%3A')) return fails(400)
        if (query.get('organizationalEntity') !== 'urn:li:organization:42')
          return refuse(403, 'ACCESS_DENIED')
        const n = platform.popularity
        const totalShareStatistics = {
          impressionCount: 90 * n,
          uniqueImpressionsCount: 60 * n,
          clickCount: 7 * n,
          likeCount: 3 * n,
          commentCount: n,
          shareCount: 2 * n,
          engagement: 0.1,
        }
        const known = posts.has(decodeURIComponent(urn))
        return says({ elements: known ? [{ share: decodeURIComponent(urn), totalShareStatistics }] : [] })
      }
      const [, kind, urn = ''] = /^\/rest\/(images|posts)\/(.+)$/.exec(decodeURIComponent(path)) ?? []
      if (kind === 'images') return says({ id: urn, status: images.get(urn) })
      if (kind === 'posts') return posts.delete(urn) ? fails(204) : refuse(404, 'NOT_FOUND')
      if (path !== '/rest/posts') return refuse(404, 'NOT_FOUND')
      if (method === 'GET') {
        // What stands in a query is encoded as a whole.
        if (headers['x-restli-method'] !== 'FINDER' || !url.search.includes('urn%3Ali')) return fails(400)
        const author = query.get('author')
        const elements = [...posts.values()].filter((post) => post.author === author && !platform.hides)
        return author?.startsWith('urn:li:person:') ? refuse(403, 'ACCESS_DENIED') : says({ elements })
      }
      const commentary = String(json['commentary'])
      // A mark that is not escaped ends the text, without a word.
      const plain = commentary.replace(/\{hashtag\|\\#\|(\w+)\}/g, '#$1').replace(/\\(.)/g, '$1')
      const [image] = [(json['content'] as { media?: { id: string } } | undefined)?.media?.id]
      if (image !== undefined && images.get(image) !== 'AVAILABLE') return refuse(400, 'MEDIA_NOT_READY')
      next += 1n
      const id = `urn:li:share:${next}`
      posts.set(id, { id, author: String(json['author']), commentary, createdAt: platform.now() })
      add(plain)
      return { status: 201, headers: { 'x-restli-id': id } }
    },
    ({ method, path }) => method === 'POST' && path === '/rest/posts',
  )
  const duplicate = { errorDetails: { inputErrors: [{ code: 'DUPLICATE_POST' }] } }
  const platform: Platform = {
    ...server,
    type: 'professional_network',
    account: 'Oats Inc.',
    published,
    login: 'consent',
    accepts: () => false,
    renews: true,
    says: {
      expired: refuse(401, 'EXPIRED_ACCESS_TOKEN'),
      quota: refuse(429, 'TOO_MANY_REQUESTS'),
      policy: refuse(403, 'ACCESS_DENIED'),
      duplicate: refuse(422, 'DUPLICATE', duplicate),
    },
    hides: false,
    afterLoss: 'published',
    afterNothing: 'unknown',
    removes: true,
    figures: { impressions: 90, reach: 60, clicks: 7, reactions: 3, comments: 1, shares: 2 },
    popularity: 1,
    now: () => 0,
  }
  return platform
}

/** Meta's words, which nearly always come with the status 400. */
export const graphError = (code: number, rest: object = {}, status = 400): Said => ({
  status,
  body: { error: { message: `(#${code}) No`, type: 'OAuthException', code, fbtrace_id: 'A', ...rest } },
})

/** Single reactions are told apart. */
const pageInsights: Readonly<Record<string, number | Record<string, number>>> = {
  post_media_view: 90,
  post_total_media_view_unique: 60,
  post_clicks: 7,
  post_reactions_by_type_total: { like: 3, love: 1 },
}
const mediaInsights = { views: 90, reach: 60, likes: 3, comments: 1, shares: 2, saved: 5 }

/** One figure of a post; a name that is not known fails the request. */
function insightOf(of: typeof pageInsights, metric: string, popularity: number): Said {
  const value = of[metric]
  if (value === undefined) return graphError(100)
  const times =
    typeof value === 'number'
      ? value * popularity
      : Object.fromEntries(Object.entries(value).map(([kind, n]) => [kind, n * popularity]))
  return says({ data: [{ name: metric, period: 'lifetime', values: [{ value: times }] }] })
}

/** The Graph API for one page at Facebook. */
export async function createFacebook(): Promise<Platform> {
  const { add, published } = counter()
  const posts = new Map<string, { id: string; message: string; permalink_url: string }>()
  const photos = new Set<string>()
  let next = 122_093_481_230_000_000n
  const server = await serve(
    async ({ method, path: versioned, token, json, query }): Promise<Said> => {
      const path = /^\/v\d+\.0(\/.*)$/.exec(versioned)?.[1] ?? ''
      const isPage = token.startsWith('page-of-')
      if (!platform.accepts(token.replace('page-of-', '')))
        return graphError(190, { error_subcode: 463 }, 401)
      if (path === '/me/accounts')
        return says({ data: [{ id: '1001', name: 'Oats' }], paging: { cursors: { after: 'A' } } })
      if (path === '/1001') return says({ access_token: `page-of-${token}`, id: '1001' })
      if (!isPage) return graphError(200)
      if (path === '/1001/published_posts') return says({ data: platform.hides ? [] : [...posts.values()] })
      if (path === '/1001/photos') {
        if (!(await fetchInto(server.pictures, json['url']))) return graphError(324)
        next += 1n
        photos.add(String(next))
        return json['published'] === false ? says({ id: String(next) }) : graphError(100)
      }
      const [, counted] = /^\/(\w+)\/insights$/.exec(path) ?? []
      if (counted !== undefined)
        return posts.has(counted)
          ? insightOf(pageInsights, String(query.get('metric')), platform.popularity)
          : graphError(100)
      const id = path.slice(1)
      if (method === 'DELETE') return posts.delete(id) ? says({ success: true }) : graphError(100)
      if (method === 'GET') return posts.has(id) ? says(posts.get(id)) : graphError(100)
      const attached = (json['attached_media'] ?? []) as { media_fbid: string }[]
      if (attached.some(({ media_fbid: photo }) => !photos.delete(photo))) return graphError(100)
      next += 1n
      const post = `1001_${next}`
      posts.set(post, {
        id: post,
        message: String(json['message']).trim(),
        permalink_url: `https://www.facebook.com/1001/posts/${next}`,
      })
      add(String(json['message']))
      return says({ id: post })
    },
    ({ method, path }) => method === 'POST' && path.endsWith('/feed'),
  )
  const platform: Platform = {
    ...server,
    type: 'social_network_a',
    published,
    login: 'consent',
    accepts: () => false,
    renews: false,
    says: {
      expired: graphError(190, { error_subcode: 463 }),
      quota: graphError(32),
      policy: graphError(368),
      duplicate: graphError(506),
    },
    hides: false,
    afterLoss: 'published',
    afterNothing: 'unknown',
    removes: true,
    figures: { impressions: 90, reach: 60, clicks: 7, reactions: 4 },
    popularity: 1,
    now: () => 0,
  }
  return platform
}

interface Container {
  code: 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED'
  caption: string
}

/** The Graph API for one account at Instagram. */
export async function createInstagram(): Promise<Platform> {
  const { add, published } = counter()
  const containers = new Map<string, Container>()
  const media = new Map<string, { id: string; caption: string; permalink: string }>()
  let next = 17_900_000_000_000_000n
  const server = await serve(
    async ({ method, path: versioned, token, json, query }): Promise<Said> => {
      const path = /^\/v\d+\.0(\/.*)$/.exec(versioned)?.[1] ?? ''
      if (!platform.accepts(token)) return graphError(190, { error_subcode: 463 })
      if (path === '/me/accounts')
        return says({
          data: [
            { id: '1001', instagram_business_account: { id: '2002', username: 'oats' } },
            { id: '1002' },
          ],
        })
      if (path === '/2002/content_publishing_limit')
        return says({ data: [{ quota_usage: 3, config: { quota_total: 50, quota_duration: 86_400 } }] })
      if (path === '/2002/media' && method === 'GET')
        return says({ data: platform.hides ? [] : [...media.values()] })
      if (path === '/2002/media') {
        if (!(await fetchInto(server.pictures, json['image_url'])))
          return graphError(9_004, { error_subcode: 2207052 })
        // It takes JPEG and nothing else.
        if (server.pictures.at(-1)?.readUInt16BE(0) !== 0xffd8)
          return graphError(36_000, { error_subcode: 2207005 })
        next += 1n
        containers.set(String(next), { code: 'IN_PROGRESS', caption: String(json['caption']) })
        return says({ id: String(next) })
      }
      const [, counted] = /^\/(\w+)\/insights$/.exec(path) ?? []
      if (counted !== undefined)
        return media.has(counted)
          ? insightOf(mediaInsights, String(query.get('metric')), platform.popularity)
          : graphError(100)
      const id = path.slice(1)
      const container = containers.get(id)
      if (method === 'GET' && container) {
        const { code } = container
        if (code === 'IN_PROGRESS') container.code = 'FINISHED'
        return says({ id, status_code: code, status: `${code}: as it is` })
      }
      if (method === 'GET') return media.has(id) ? says(media.get(id)) : graphError(100)
      const chosen = containers.get(String(json['creation_id']))
      if (chosen?.code === 'IN_PROGRESS') return graphError(9_007, { error_subcode: 2207027 })
      if (chosen?.code !== 'FINISHED') return graphError(24, { error_subcode: 2207006 })
      chosen.code = 'PUBLISHED'
      next += 1n
      const permalink = `https://www.instagram.com/p/${next}/`
      media.set(String(next), { id: String(next), caption: chosen.caption, permalink })
      add(chosen.caption)
      return says({ id: String(next) })
    },
    ({ method, path }) => method === 'POST' && path.endsWith('/media_publish'),
  )
  const platform: Platform = {
    ...server,
    type: 'photo_network',
    published,
    login: 'consent',
    accepts: () => false,
    renews: false,
    says: {
      expired: graphError(190, { error_subcode: 463 }),
      quota: graphError(9, { error_subcode: 2207042 }),
      policy: graphError(25, { error_subcode: 2207050 }),
    },
    hides: false,
    afterLoss: 'published',
    afterNothing: 'published',
    removes: false,
    figures: { impressions: 90, reach: 60, reactions: 3, comments: 1, shares: 2 },
    popularity: 1,
    now: () => 0,
  }
  return platform
}
