import { counter, fails, firstLine, type Platform, type Said, says, serve } from './frame.ts'

/** A text in LinkedIn's format as it is read. */
const plainOf = (commentary: string) =>
  commentary.replace(/\{hashtag\|\\#\|(\w+)\}/g, '#$1').replace(/\\(.)/g, '$1')

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
      // LinkedIn's own client writes it in small letters, its documentation in capitals.
      const verb = String(headers['x-restli-method']).toUpperCase()
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
        if (verb !== 'FINDER' || !urn.includes('%3A')) return fails(400)
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
      if (kind === 'posts' && method === 'POST') {
        const post = posts.get(urn)
        if (!post) return refuse(404, 'NOT_FOUND')
        const { $set: set = {} } = (json['patch'] ?? {}) as { $set?: Record<string, unknown> }
        const isText = Object.keys(set).join() === 'commentary'
        if (verb !== 'PARTIAL_UPDATE' || !isText) return refuse(400, 'ILLEGAL_ARGUMENT')
        post.commentary = String(set['commentary'])
        return fails(204)
      }
      if (kind === 'posts') return posts.delete(urn) ? fails(204) : refuse(404, 'NOT_FOUND')
      if (path !== '/rest/posts') return refuse(404, 'NOT_FOUND')
      if (method === 'GET') {
        // What stands in a query is encoded as a whole.
        if (verb !== 'FINDER' || !url.search.includes('urn%3Ali')) return fails(400)
        const author = query.get('author')
        const elements = [...posts.values()].filter((post) => post.author === author && !platform.hides)
        return author?.startsWith('urn:li:person:') ? refuse(403, 'ACCESS_DENIED') : says({ elements })
      }
      const commentary = String(json['commentary'])
      const plain = plainOf(commentary)
      const [image] = [(json['content'] as { media?: { id: string } } | undefined)?.media?.id]
      if (image !== undefined && images.get(image) !== 'AVAILABLE') return refuse(400, 'MEDIA_NOT_READY')
      next += 1n
      const id = `urn:li:share:${next}`
      posts.set(id, { id, author: String(json['author']), commentary, createdAt: platform.now() })
      add(plain)
      return { status: 201, headers: { 'x-restli-id': id } }
    },
    ({ method, path }) => method === 'POST' && path.startsWith('/rest/posts'),
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
    edits: {
      of: 'text',
      live: () => [...posts.values()].map(({ commentary }) => firstLine(plainOf(commentary))),
      clear: () => posts.clear(),
    },
    figures: { impressions: 90, reach: 60, clicks: 7, reactions: 3, comments: 1, shares: 2 },
    popularity: 1,
    now: () => 0,
  }
  return platform
}
