import { counter, fails, fetchInto, firstLine, type Platform, type Said, says, serve } from './frame.ts'

interface LocalPost {
  name: string
  summary: string
  callToAction?: unknown
  state: 'PROCESSING' | 'LIVE'
  createTime: string
  searchUrl: string
}

/** What Google counts of the place on each day; what is zero has no value. */
const placeDays: Readonly<Record<string, number>> = {
  BUSINESS_IMPRESSIONS_DESKTOP_MAPS: 1,
  BUSINESS_IMPRESSIONS_DESKTOP_SEARCH: 2,
  BUSINESS_IMPRESSIONS_MOBILE_MAPS: 30,
  BUSINESS_IMPRESSIONS_MOBILE_SEARCH: 40,
  WEBSITE_CLICKS: 4,
  CALL_CLICKS: 0,
  BUSINESS_DIRECTION_REQUESTS: 3,
}

/** The metrics of a place that are asked for, on the days that are asked for; undefined for a request that Google has no answer to. */
function daysOfPlace(query: URLSearchParams, popularity: number) {
  const day = (name: string) => {
    const part = (of: string) => Number(query.get(`dailyRange.${name}.${of}`))
    return Date.UTC(part('year'), part('month') - 1, part('day'))
  }
  const metrics = query.getAll('dailyMetrics')
  const [from, to] = [day('startDate'), day('endDate')]
  if (metrics.length === 0 || metrics.some((metric) => !(metric in placeDays)) || !(from <= to))
    return undefined
  const days = Array.from({ length: (to - from) / 86_400_000 + 1 }, (_, n) => new Date(from + n * 86_400_000))
  const dailyMetricTimeSeries = metrics.map((dailyMetric) => ({
    dailyMetric,
    timeSeries: {
      datedValues: days.map((one) => ({
        date: { year: one.getUTCFullYear(), month: one.getUTCMonth() + 1, day: one.getUTCDate() },
        ...(placeDays[dailyMetric] && { value: String(placeDays[dailyMetric] * popularity) }),
      })),
    },
  }))
  return { multiDailyMetricTimeSeries: [{ dailyMetricTimeSeries }] }
}

/** Google's five APIs of Business Profile, for one place. */
export async function createGoogleBusiness(): Promise<Platform> {
  const { add, published } = counter()
  const posts = new Map<string, LocalPost>()
  const refuse = (code: number, status: string): Said => ({
    status: code,
    body: { error: { code, status, message: `No: ${status}`, details: [] } },
  })
  const place = 'accounts/11/locations/22'
  const server = await serve(
    async ({ method, path, query, token, json }): Promise<Said> => {
      if (!platform.accepts(token)) return refuse(401, 'UNAUTHENTICATED')
      if (path === '/v1/accounts') return says({ accounts: [{ name: 'accounts/11', accountName: 'Oats' }] })
      if (path === '/v1/accounts/11/locations')
        return query.get('readMask')
          ? says({ locations: [{ name: 'locations/22', title: 'Oats, Hamburg' }] })
          : refuse(400, 'INVALID_ARGUMENT')
      if (path === '/v1/locations/22:fetchMultiDailyMetricsTimeSeries') {
        const found = daysOfPlace(query, platform.popularity)
        return found ? says(found) : refuse(400, 'INVALID_ARGUMENT')
      }
      const name = path.replace('/v4/', '')
      if (name === `${place}/localPosts` && method === 'GET')
        return says(platform.hides || posts.size === 0 ? {} : { localPosts: [...posts.values()] })
      const known = posts.get(name)
      if (method === 'DELETE') return posts.delete(name) ? says({}) : refuse(404, 'NOT_FOUND')
      if (method === 'PATCH') {
        if (!known) return refuse(404, 'NOT_FOUND')
        const mask = (query.get('updateMask') ?? '').split(',')
        // Its media cannot be changed, and what the mask does not name is left alone.
        if (!mask.includes('summary') || 'media' in json) return refuse(400, 'INVALID_ARGUMENT')
        Object.assign(known, { summary: String(json['summary']), state: 'PROCESSING' })
        if (mask.includes('callToAction')) known.callToAction = json['callToAction']
        return says({ ...known })
      }
      if (method === 'GET' && known) {
        const shown = { ...known }
        known.state = 'LIVE'
        return says(shown)
      }
      if (name !== `${place}/localPosts`) return refuse(404, 'NOT_FOUND')
      const [picture] = (json['media'] ?? []) as { sourceUrl: string }[]
      if (picture && !(await fetchInto(server.pictures, picture.sourceUrl)))
        return refuse(400, 'INVALID_ARGUMENT')
      const made: LocalPost = {
        name: `${place}/localPosts/${posts.size + 1}${platform.now()}`,
        summary: String(json['summary']),
        callToAction: json['callToAction'],
        state: 'PROCESSING',
        createTime: new Date(platform.now()).toISOString(),
        searchUrl: 'https://local.google.example/place?id=22',
      }
      posts.set(made.name, made)
      add(made.summary)
      const shown = { ...made }
      made.state = 'LIVE'
      return says(shown)
    },
    ({ method, path }) => method === 'PATCH' || (method === 'POST' && path.endsWith('/localPosts')),
  )
  const platform: Platform = {
    ...server,
    type: 'business_profile',
    published,
    login: 'consent',
    accepts: () => false,
    renews: true,
    says: {
      expired: refuse(401, 'UNAUTHENTICATED'),
      quota: refuse(429, 'RESOURCE_EXHAUSTED'),
      policy: refuse(403, 'PERMISSION_DENIED'),
    },
    hides: false,
    afterLoss: 'published',
    afterNothing: 'unknown',
    removes: true,
    edits: {
      of: 'text',
      live: () => [...posts.values()].map(({ summary }) => firstLine(summary)),
      clear: () => posts.clear(),
    },
    accountFigures: { views: 73, websiteClicks: 4, calls: 0, directions: 3 },
    popularity: 1,
    now: () => 0,
  }
  return platform
}

/** TikTok's content posting API, for an account that offers posts for everyone and for itself. */
export async function createTikTok(): Promise<Platform> {
  const { add, published } = counter()
  const posts = new Map<string, { status: string; title: string; id: string }>()
  let next = 7_400_000_000_000_000_000n
  const refuse = (status: number, code: string): Said => ({
    status,
    body: { data: {}, error: { code, message: `No: ${code}`, log_id: '1' } },
  })
  const says200 = (data: object) => says({ data, error: { code: 'ok', message: '', log_id: '1' } })
  const server = await serve(
    async ({ path: whole, query, token, json, headers, bytes }): Promise<Said> => {
      const path = whole.replace('/v2', '')
      if (path.startsWith('/upload/')) {
        const post = posts.get(path.slice('/upload/'.length))
        const size = bytes.length
        if (!post || headers['content-range'] !== `bytes 0-${size - 1}/${size}`) return fails(400)
        server.pictures.push(bytes)
        post.status = 'PROCESSING_UPLOAD_DONE'
        return fails(201)
      }
      if (!platform.accepts(token)) return refuse(401, 'access_token_invalid')
      const info = (json['post_info'] ?? {}) as { title?: string; privacy_level?: string }
      if (path === '/post/publish/creator_info/query/')
        return says200({
          creator_nickname: 'Oats',
          creator_username: 'oats',
          privacy_level_options: ['PUBLIC_TO_EVERYONE', 'SELF_ONLY'],
        })
      if (path === '/post/publish/status/fetch/') {
        const post = posts.get(String(json['publish_id']))
        if (!post) return refuse(400, 'invalid_publish_id')
        if (post.status !== 'PROCESSING_DOWNLOAD' && post.status !== 'PROCESSING_UPLOAD_DONE')
          return {
            status: 200,
            body: `{"data":{"status":"${post.status}","publicaly_available_post_id":[${post.id}]},"error":{"code":"ok"}}`,
          }
        post.status = 'PUBLISH_COMPLETE'
        return says200({ status: 'PROCESSING_DOWNLOAD' })
      }
      if (path === '/video/query/') {
        if (platform.grants?.(token, 'video.list') === false) return refuse(401, 'scope_not_authorized')
        const { video_ids: ids } = json['filters'] as { video_ids: string[] }
        const n = platform.popularity
        const counts = { view_count: 90 * n, like_count: 3 * n, comment_count: n, share_count: 2 * n }
        const found = [...posts.values()].filter((post) => ids.includes(post.id))
        return query.get('fields')?.includes('view_count')
          ? says200({ videos: found.map(({ id }) => ({ id, ...counts })) })
          : refuse(400, 'invalid_params')
      }
      if (info.privacy_level !== 'PUBLIC_TO_EVERYONE') return refuse(403, 'privacy_level_option_mismatch')
      next += 1n
      const id = `v_pub_url~${next}`
      const isPhoto = path === '/post/publish/content/init/'
      const { photo_images: images = [] } = json['source_info'] as { photo_images?: string[] }
      if (!(await fetchInto(server.pictures, ...images))) return refuse(400, 'url_ownership_unverified')
      posts.set(id, {
        status: isPhoto ? 'PROCESSING_DOWNLOAD' : 'PROCESSING_UPLOAD',
        title: info.title ?? '',
        id: String(next),
      })
      add(info.title ?? '')
      return says200({ publish_id: id, ...(!isPhoto && { upload_url: `${server.url}/upload/${id}` }) })
    },
    ({ path }) => path.endsWith('/init/'),
  )
  const platform: Platform = {
    ...server,
    type: 'short_video_network',
    account: 'Oats, for everyone',
    published,
    login: 'consent',
    accepts: () => false,
    renews: true,
    says: {
      expired: refuse(401, 'access_token_invalid'),
      quota: refuse(429, 'rate_limit_exceeded'),
      policy: refuse(403, 'unaudited_client_can_only_post_to_private_accounts'),
    },
    hides: false,
    afterLoss: 'unknown',
    afterNothing: 'unknown',
    removes: false,
    figures: { impressions: 90, reactions: 3, comments: 1, shares: 2 },
    popularity: 1,
    now: () => 0,
  }
  return platform
}
