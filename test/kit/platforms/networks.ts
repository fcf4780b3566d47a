import { type Asked, counter, fetchInto, firstLine, type Platform, type Said, says, serve } from './frame.ts'

/** Meta's words, which nearly always come with the status 400. */
export const graphError = (code: number, rest: object = {}, status = 400): Said => ({
  status,
  body: { error: { message: `(#${code}) No`, type: 'OAuthException', code, fbtrace_id: 'A', ...rest } },
})

/** The Graph API takes a token wherever it stands, and Meta's own client puts its fields and the id into bodies. */
function asked({ token, query, json }: Asked) {
  const { access_token: inBody, id: _, fields: __, ...fields } = json
  return { token: token || (query.get('access_token') ?? String(inBody ?? '')), json: fields }
}

/** Single reactions are told apart. */
const pageInsights: Readonly<Record<string, number | Record<string, number>>> = {
  post_media_view: 90,
  post_total_media_view_unique: 60,
  post_clicks: 7,
  post_reactions_by_type_total: { like: 3, love: 1 },
}
/** Of the page on each day. */
const pageDays: Readonly<Record<string, number>> = {
  page_media_view: 40,
  page_total_media_view_unique: 30,
  page_post_engagements: 5,
  page_daily_follows_unique: 2,
  page_follows: 500,
}

/** One figure of a page on the days of a span, each of which is named by its end: midnight in California. */
function daysOfPage(query: URLSearchParams, popularity: number): Said {
  const value = pageDays[query.get('metric') ?? '']
  const [since, until] = [query.get('since'), query.get('until')].map((day) => Date.parse(day ?? ''))
  if (value === undefined || query.get('period') !== 'day' || since === undefined || until === undefined)
    return graphError(100)
  if (!(until > since) || until - since > 93 * 86_400_000) return graphError(100)
  const values: { value: number; end_time: string }[] = []
  for (let day = since + 86_400_000; day < until; day += 86_400_000)
    values.push({
      value: value * popularity,
      end_time: new Date(day).toISOString().replace('00:00:00.000Z', '07:00:00+0000'),
    })
  return says({ data: [{ name: query.get('metric'), period: 'day', values }] })
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
    async (request): Promise<Said> => {
      const { method, path: versioned, query } = request
      const { token, json } = asked(request)
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
      if (
        counted !== undefined &&
        platform.grants?.(token.replace('page-of-', ''), 'read_insights') === false
      )
        return graphError(10)
      if (counted === '1001') return daysOfPage(query, platform.popularity)
      if (counted !== undefined)
        return posts.has(counted)
          ? insightOf(pageInsights, String(query.get('metric')), platform.popularity)
          : graphError(100)
      const id = path.slice(1)
      const known = posts.get(id)
      // Of a page's own posts the text can be changed, and nothing else.
      const isUpdate = method === 'POST' && path !== '/1001/feed'
      if (!known && path !== '/1001/feed') return graphError(100, { error_subcode: 33 })
      if (method === 'DELETE') return posts.delete(id) ? says({ success: true }) : graphError(100)
      if (method === 'GET') return says(known)
      if (known && isUpdate) {
        if (Object.keys(json).join() !== 'message') return graphError(100)
        known.message = String(json['message']).trim()
        return says({ success: true })
      }
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
    ({ method, path }) => method === 'POST' && (path.endsWith('/feed') || path.includes('/1001_')),
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
    edits: {
      of: 'text',
      live: () => [...posts.values()].map(({ message }) => firstLine(message)),
      clear: () => posts.clear(),
    },
    figures: { impressions: 90, reach: 60, clicks: 7, reactions: 4 },
    accountFigures: { views: 40, reach: 30, engagements: 5, newFollowers: 2, followers: 500 },
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
    async (request): Promise<Said> => {
      const { method, path: versioned, query } = request
      const { token, json } = asked(request)
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
      if (counted !== undefined && platform.grants?.(token, 'instagram_manage_insights') === false)
        return graphError(10)
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
