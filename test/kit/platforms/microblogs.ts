import { counter, type Platform, type Said, serve } from './frame.ts'

interface Status {
  id: string
  url: string
  content: string
  media_attachments: { id: string }[]
}

/** A server with the API of Mastodon 4.3, for one account that has made an access token. */
export async function createMastodon(): Promise<Platform> {
  const { add, published } = counter()
  const statuses = new Map<string, Status>()
  /** Each with when it was used; it is remembered for an hour. */
  const keys = new Map<string, { status: Status; at: number }>()
  const media = new Map<string, number>()
  const tokens = new Set(['a-token-of-ada'])
  let id = 109_372_843_234_000_000n
  const nextId = () => String((id += 1n))
  const ok = (body: unknown, status = 200): Said => ({ status, body })
  const refuse = (status: number, error: string): Said => ({ status, body: { error } })
  /** The pictures that a status has, or had. */
  const owned = new Map<string, Set<string>>()
  const notAttached = refuse(422, 'Validation failed: Cannot attach files that have not finished processing.')
  const contentOf = (text: string) => `<p>${text.replaceAll('\n\n', '</p><p>')}</p>`
  const server = await serve(
    ({ method, path, headers, token, json, form, query, bytes }): Said => {
      if (path === '/api/v1/apps') return ok({ client_id: 'app', client_secret: 'secret', id: '1' })
      if (path === '/oauth/token') {
        if (
          form.get('code') !== 'a-code' ||
          form.get('client_secret') !== 'secret' ||
          !form.get('code_verifier')
        )
          return { status: 400, body: { error: 'invalid_grant', error_description: 'The grant is invalid.' } }
        tokens.add('a-token-by-consent')
        return ok({ access_token: 'a-token-by-consent', token_type: 'Bearer', scope: 'read write' })
      }
      if (path === '/oauth/revoke') return ok(tokens.delete(form.get('token') ?? '') ? {} : {})
      if (path === '/api/v2/instance')
        return ok({
          domain: 'oats.example',
          configuration: { statuses: { max_characters: 600, characters_reserved_per_url: 23 } },
        })
      if (!tokens.has(token)) return refuse(401, 'The access token is invalid')
      if (path === '/api/v1/accounts/verify_credentials')
        return ok({ id: '14', acct: 'ada', username: 'ada' })
      if (path === '/api/v2/media') {
        server.pictures.push(bytes)
        const made = nextId()
        media.set(made, 1)
        return ok({ id: made, type: 'image', url: null }, 202)
      }
      const [, picture] = /^\/api\/v1\/media\/(\d+)$/.exec(path) ?? []
      if (picture !== undefined) {
        const rest = media.get(picture)
        if (rest === undefined) return refuse(404, 'Record not found')
        media.set(picture, rest - 1)
        const url = rest > 0 ? null : `https://files.example/${picture}.jpg`
        return ok({ id: picture, url }, rest > 0 ? 206 : 200)
      }
      if (path === '/api/v1/accounts/14/statuses')
        return ok(
          platform.hides ? [] : [...statuses.values()].toReversed().slice(0, Number(query.get('limit'))),
        )
      const [, shown] = /^\/api\/v1\/statuses\/(\d+)$/.exec(path) ?? []
      if (method === 'GET' && shown !== undefined) {
        const found = statuses.get(shown)
        const n = platform.popularity
        const counts = { favourites_count: 3 * n, reblogs_count: 2 * n, replies_count: n }
        return found ? ok({ ...found, ...counts }) : refuse(404, 'Record not found')
      }
      if (method === 'DELETE') {
        const gone = statuses.delete(path.split('/').at(-1) ?? '')
        return gone ? ok({}) : refuse(404, 'Record not found')
      }
      const text = String(json['status'])
      if (method === 'PUT' && shown !== undefined) {
        const found = statuses.get(shown)
        if (!found) return refuse(404, 'Record not found')
        // What is not named goes; what belongs to the status already may be named again.
        const ids = (json['media_ids'] ?? []) as string[]
        const own = owned.get(shown) ?? new Set()
        if (ids.some((one) => !own.has(one) && !media.delete(one))) return notAttached
        for (const one of ids) own.add(one)
        owned.set(shown, own)
        Object.assign(found, { content: contentOf(text), media_attachments: ids.map((one) => ({ id: one })) })
        return ok(found)
      }
      if (method !== 'POST' || path !== '/api/v1/statuses') return refuse(404, 'Not found')
      const key = String(headers['idempotency-key'])
      const known = keys.get(key)
      if (known && platform.now() - known.at < 3_600_000) return ok(known.status)
      const ids = json['media_ids'] as string[]
      if (ids.some((one) => !media.delete(one))) return notAttached
      const made = nextId()
      const status = {
        id: made,
        url: `https://oats.example/@ada/${made}`,
        content: contentOf(text),
        media_attachments: ids.map((one) => ({ id: one })),
      }
      statuses.set(made, status)
      owned.set(made, new Set(ids))
      keys.set(key, { status, at: platform.now() })
      add(text)
      return ok(status)
    },
    ({ method, path }) => method === 'PUT' || (method === 'POST' && path === '/api/v1/statuses'),
  )
  const platform: Platform = Object.assign(server, {
    type: 'microblog_a' as const,
    published,
    login: { server: server.url, secret: 'a-token-of-ada' },
    accepts: (token: string) => tokens.has(token),
    shutOut: () => tokens.clear(),
    says: {
      expired: refuse(401, 'The access token was revoked'),
      quota: refuse(429, 'Too many requests'),
      policy: refuse(403, 'Your login is currently disabled'),
    },
    renews: false,
    now: () => 0,
    hides: false,
    afterLoss: 'published' as const,
    afterNothing: 'published' as const,
    removes: true,
    edits: {
      of: 'text and pictures' as const,
      live: () => [...statuses.values()].map(({ content }) => content.split('</p>')[0]?.slice(3) ?? ''),
      clear: () => statuses.clear(),
    },
    figures: { reactions: 3, shares: 2, comments: 1 },
    popularity: 1,
  })
  return platform
}

/** Names of contents as the AT Protocol has them, of no content here. */
const recordCid = 'bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const blobCid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

/** A server of the AT Protocol as the reference implementation speaks it, for one account with an app password. */
export async function createBluesky(): Promise<Platform> {
  const { add, published } = counter()
  const records = new Map<string, { uri: string; cid: string; value: Record<string, unknown> }>()
  const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
  let sessions = 0
  let isLocked = false
  const access = new Set<string>()
  const refresh = new Set<string>()
  const open = (): Said => {
    sessions += 1
    const body = {
      did,
      handle: 'ada.test',
      accessJwt: `access-${sessions}`,
      refreshJwt: `refresh-${sessions}`,
    }
    access.add(body.accessJwt)
    refresh.add(body.refreshJwt)
    return { status: 200, body }
  }
  const refuse = (status: number, error: string, message = error): Said => ({
    status,
    body: { error, message },
  })
  const server = await serve(
    ({ path, token, json, query, bytes, headers }): Said => {
      const method = path.slice('/xrpc/'.length)
      if (method === 'com.atproto.server.createSession') {
        const isRight = json['identifier'] === 'ada.test' && json['password'] === 'abcd-efgh-ijkl-mnop'
        return isRight && !isLocked
          ? open()
          : refuse(401, 'AuthenticationRequired', 'Invalid identifier or password')
      }
      // Both tokens of a session are replaced, and the old refresh token is good for nothing.
      if (method === 'com.atproto.server.refreshSession')
        return refresh.delete(token) ? open() : refuse(400, 'ExpiredToken', 'Token has been revoked')
      if (method === 'com.atproto.server.deleteSession')
        return refresh.delete(token) ? { status: 200 } : refuse(400, 'ExpiredToken')
      if (!access.has(token)) return refuse(400, 'ExpiredToken', 'Token has expired')
      if (method === 'com.atproto.repo.uploadBlob') {
        if (bytes.length > 1_000_000) return refuse(400, 'BlobTooLarge')
        server.pictures.push(bytes)
        const blob = {
          $type: 'blob',
          ref: { $link: blobCid },
          mimeType: headers['content-type'],
          size: bytes.length,
        }
        return { status: 200, body: { blob } }
      }
      const place = (from: { repo?: unknown; collection?: unknown; rkey?: unknown }) =>
        `at://${String(from.repo)}/${String(from.collection)}/${String(from.rkey)}`
      if (method === 'com.atproto.repo.getRecord') {
        const found = platform.hides ? undefined : records.get(place(Object.fromEntries(query)))
        return found ? { status: 200, body: found } : refuse(400, 'RecordNotFound', 'Could not locate record')
      }
      if (method === 'app.bsky.feed.getPosts') {
        const n = platform.popularity
        const counts = { likeCount: 3 * n, replyCount: n, repostCount: n, quoteCount: n }
        const posts = query.getAll('uris').flatMap((one) => records.get(one) ?? [])
        const shown = posts.map(({ value: record, ...one }) => ({
          ...one,
          record,
          author: { did, handle: 'ada.test' },
          indexedAt: '2026-01-01T00:00:00.000Z',
          ...counts,
        }))
        return { status: 200, body: { posts: shown } }
      }
      const uri = place(json)
      if (method === 'com.atproto.repo.deleteRecord')
        return { status: 200, body: { deleted: records.delete(uri) } }
      if (method !== 'com.atproto.repo.putRecord') return refuse(501, 'MethodNotImplemented')
      if (!/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/.test(String(json['rkey'])))
        return refuse(400, 'InvalidRequest', 'Invalid TID')
      if (json['swapRecord'] === null && records.has(uri))
        return refuse(400, 'InvalidSwap', `Record was at ${recordCid}`)
      const value = json['record'] as Record<string, unknown>
      records.set(uri, { uri, cid: recordCid, value })
      add(String(value['text']))
      return { status: 200, body: { uri, cid: recordCid, validationStatus: 'valid' } }
    },
    ({ path }) => path === '/xrpc/com.atproto.repo.putRecord',
  )
  const platform: Platform = Object.assign(server, {
    type: 'microblog_b' as const,
    published,
    login: { server: server.url, username: 'ada.test', secret: 'abcd-efgh-ijkl-mnop' },
    accepts: (token: string) => access.has(token),
    shutOut: () => {
      for (const all of [access, refresh]) all.clear()
      isLocked = true
    },
    says: {
      expired: refuse(400, 'ExpiredToken', 'Token has expired'),
      quota: refuse(429, 'RateLimitExceeded', 'Rate Limit Exceeded'),
      policy: refuse(400, 'AccountTakedown', 'Account has been taken down'),
      duplicate: refuse(400, 'InvalidSwap', `Record was at ${recordCid}`),
    },
    renews: true,
    now: () => 0,
    hides: false,
    afterLoss: 'published' as const,
    afterNothing: 'published' as const,
    removes: true,
    figures: { reactions: 3, shares: 2, comments: 1 },
    popularity: 1,
  })
  return platform
}
