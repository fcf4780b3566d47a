import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { answerAsHost } from './wordpress-hosted.ts'
import { mediaRoutes, type SiteAnswer, type SiteMedia } from './wordpress-media.ts'
import { answerToStranger } from './wordpress-stranger.ts'

interface Post {
  id: number
  slug: string
  status: string
  title: string
  content: string
  excerpt: string
}

/** What goes wrong with one request; those that come later are served. */
type Mishap =
  /** The connection ends before the request is done, or after, without an answer. */
  | 'cut before'
  | 'cut after'
  | 502
  | 504
  | 'firewall'
  | { status: number; code: string; headers?: Record<string, string> }

/** A WordPress site with its REST API and application passwords, as WordPress 6.1 speaks it; and WordPress.com with one site. */
export interface WordPressServer extends AsyncDisposable {
  url: string
  login: { username: string; secret: string }
  posts: Map<number, Post>
  media: Map<number, SiteMedia>
  /** How often a post went from unpublished to published, by its title. */
  published: Map<string, number>
  /** When each post was drafted, by its first slug, milliseconds since the epoch. */
  createdAt: Map<string, number>
  requests: string[]
  /** Taken from the front, one for each request that writes. */
  mishaps: Mishap[]
  /** Asked about each request before it is served, by its method and path; it is served once this is done. */
  gate: (line: string) => Promise<void> | void
  /** Passwords that are good, by their uuid. */
  passwords: Map<string, string>
  /** Whether WordPress.com takes an access token. */
  accepts: (token: string) => boolean
  /** The sites of WordPress.com that a token is for. */
  sites: number[]
  /** False where addresses are not rewritten: the API is reached by `?rest_route=` only. */
  permalinks: boolean
  /** Opens the page of consent as the site's user, who agrees or not. @returns where the person goes from there */
  agree(authUrl: string, answer?: 'yes' | 'no'): URL
  mayPublish: boolean
  /** False where what is deleted is gone at once. */
  hasTrash: boolean
  /** False as on a site without https: it gives out no application passwords. */
  passwordsOffered: boolean
}

export async function createWordPressServer(): Promise<WordPressServer> {
  let nextId = 100
  const reply = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
    status,
    body,
    headers,
  })
  const refuse = (status: number, code: string, message = `No: ${code}`) =>
    reply(status, { code, message, data: { status } })
  const replyOf = (answer: SiteAnswer) =>
    'code' in answer ? refuse(answer.status, answer.code) : reply(answer.status, answer.body)
  const shown = (post: Post) => ({
    ...post,
    link: `${self.url}/${post.status === 'publish' ? post.slug : `?p=${post.id}`}`,
    title: { raw: post.title },
    content: { raw: post.content },
  })
  /** Slugs are unique, of drafts too. */
  const unique = (slug: string, own: number) => {
    const taken = (one: string) =>
      [...self.posts.values()].some((post) => post.id !== own && post.slug === one)
    let free = slug
    for (let n = 2; taken(free); n += 1) free = `${slug}-${n}`
    return free
  }
  const write = (post: Post, given: Partial<Post>) => {
    const before = post.status
    if (given.status === 'publish' && !self.mayPublish) return refuse(403, 'rest_cannot_publish')
    Object.assign(post, given, { slug: unique(given.slug ?? post.slug, post.id) })
    if (post.status === 'publish' && before !== 'publish')
      self.published.set(post.title, (self.published.get(post.title) ?? 0) + 1)
    self.posts.set(post.id, post)
    return undefined
  }
  const posts = (method: string, id: number, url: URL, given: Partial<Post>): Reply => {
    if (Number.isNaN(id)) {
      if (method === 'GET') {
        const slugs = (url.searchParams.get('slug') ?? '').split(',')
        const any = url.searchParams.get('status') === 'any'
        const found = [...self.posts.values()].filter(
          (post) =>
            slugs.includes(post.slug) && post.status !== 'trash' && (any || post.status === 'publish'),
        )
        return reply(200, found.map(shown))
      }
      if (given.slug) self.createdAt.set(given.slug, Date.now())
      const post = { id: nextId++, slug: '', status: 'draft', title: '', content: '', excerpt: '' }
      return write(post, given) ?? reply(201, shown(post))
    }
    const post = self.posts.get(id)
    if (!post) return refuse(404, 'rest_post_invalid_id', 'Invalid post ID.')
    if (method === 'DELETE') {
      if (post.status === 'trash') return refuse(410, 'rest_already_trashed')
      if (!self.hasTrash) return refuse(501, 'rest_trash_not_supported')
      Object.assign(post, { status: 'trash', slug: `${post.slug}__trashed` })
      return reply(200, shown(post))
    }
    return (method === 'POST' ? write(post, given) : undefined) ?? reply(200, shown(post))
  }
  const route = (path: string, asked: Asked, uuid: string): Reply => {
    const [, collection, id] = /^\/(posts|media|users\/me)(?:\/(.+))?$/.exec(path) ?? []
    if (collection === 'media') {
      return replyOf(mediaRoutes(self.media, id === undefined ? undefined : Number(id), asked))
    }
    if (collection === 'posts') {
      const given = JSON.parse(asked.bytes.toString() || '{}') as Partial<Post>
      return posts(asked.method, Number(id), asked.url, given)
    }
    if (collection !== 'users/me') return refuse(404, 'rest_no_route')
    if (id === undefined)
      return reply(200, {
        id: 1,
        name: 'Wanda',
        capabilities: { edit_posts: true, publish_posts: self.mayPublish },
      })
    if (id === 'application-passwords/introspect') return reply(200, { uuid })
    self.passwords.delete(uuid)
    return reply(200, { deleted: true })
  }
  const describe = () =>
    reply(200, {
      name: 'Ada&#039;s Oats &amp; Rye',
      url: self.url,
      namespaces: ['oembed/1.0', 'wp/v2'],
      authentication: self.passwordsOffered
        ? {
            'application-passwords': {
              endpoints: { authorization: `${self.url}/wp-admin/authorize-application.php` },
            },
          }
        : [],
    })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', self.url)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const method = request.method ?? 'GET'
    self.requests.push(`${method} ${url.pathname}`)
    await self.gate(`${method} ${url.pathname}`)
    const mishap = method === 'GET' ? undefined : self.mishaps.shift()
    if (mishap === 'cut before') return void response.destroy()
    if (mishap === 502 || mishap === 504)
      return void response.writeHead(mishap, { connection: 'close' }).end('<h1>Bad gateway</h1>')
    if (mishap === 'firewall')
      return void response.writeHead(403, { connection: 'close' }).end('<h1>Are you human?</h1>')
    const { headers: sent } = request
    const asked = { method, url, headers: sent, bytes: Buffer.concat(chunks) }
    const done =
      typeof mishap === 'object'
        ? { ...refuse(mishap.status, mishap.code), headers: mishap.headers ?? {} }
        : serve(asked)
    if (mishap === 'cut after') return void response.destroy()
    // A connection that is kept may end under the next request, which would be one mishap more.
    const headers = { 'content-type': 'application/json', connection: 'close', ...done.headers }
    response.writeHead(done.status, headers)
    response.end(JSON.stringify(done.body))
  }
  const serve = (asked: Asked): Reply => {
    const { url } = asked
    const { authorization = '' } = asked.headers
    const { pathname } = url
    const token = /^Bearer (.+)$/.exec(authorization)?.[1] ?? ''
    const site = '/wp/v2/sites/55'
    if (pathname.startsWith('/oauth2/') || pathname.startsWith('/rest/'))
      return replyOf(answerAsHost(self, { path: pathname, url, token }))
    if (pathname.startsWith(`${site}/`))
      return self.accepts(token)
        ? route(pathname.slice(site.length), asked, '')
        : refuse(401, 'invalid_token')
    const path = self.permalinks ? pathname.replace(/^\/wp-json/, '') : url.searchParams.get('rest_route')
    if (self.permalinks && path === pathname) return refuse(404, 'rest_no_route')
    if (path === '/') return describe()
    if (!path?.startsWith('/wp/v2/')) return refuse(404, 'rest_no_route')
    const [username, secret] = Buffer.from(authorization.replace('Basic ', ''), 'base64')
      .toString()
      .split(':')
    const [uuid] =
      [...self.passwords].find(([, password]) => password === secret?.replace(/[^a-z\d]/gi, '')) ?? []
    const routed = path.slice('/wp/v2'.length)
    if (username !== self.login.username || uuid === undefined)
      return replyOf(answerToStranger(asked.method, routed, self.posts))
    return route(routed, asked, uuid)
  }
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const secret = randomBytes(12).toString('hex')
  const pasted = randomUUID()
  const names = new Map<string, string>([[pasted, 'Copydesk']])
  const self: WordPressServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    login: { username: 'wanda', secret },
    posts: new Map(),
    media: new Map(),
    published: new Map(),
    createdAt: new Map(),
    requests: [],
    mishaps: [],
    gate: () => undefined,
    passwords: new Map([[pasted, secret]]),
    accepts: () => false,
    sites: [55],
    permalinks: true,
    agree(authUrl, answer = 'yes') {
      const asked = new URL(authUrl)
      const { app_name: name, app_id: id, ...to } = Object.fromEntries(asked.searchParams)
      if (asked.pathname !== '/wp-admin/authorize-application.php' || !name || !uuidPattern.test(id ?? ''))
        throw new Error(`There is no such page: ${authUrl}`)
      const back = new URL((answer === 'yes' ? to['success_url'] : to['reject_url']) ?? '')
      const password = randomBytes(12).toString('hex')
      if (answer === 'yes') {
        if ([...names].some(([uuid, taken]) => taken === name && self.passwords.has(uuid)))
          throw new Error('Each application name should be unique.')
        const uuid = randomUUID()
        self.passwords.set(uuid, password)
        names.set(uuid, name)
      }
      const given =
        answer === 'yes'
          ? { site_url: self.url, user_login: self.login.username, password }
          : { success: 'false' }
      for (const [field, value] of Object.entries(given)) back.searchParams.set(field, value)
      return back
    },
    mayPublish: true,
    hasTrash: true,
    passwordsOffered: true,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return self
}

interface Asked {
  method: string
  url: URL
  headers: IncomingHttpHeaders
  bytes: Buffer
}

const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

interface Reply {
  status: number
  body: unknown
  headers: Record<string, string>
}
