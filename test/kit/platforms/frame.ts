import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChannelOptions } from '@copydesk/core'
import { jpegOf } from '../pictures.ts'

/** A request as a platform reads it. */
export interface Asked {
  method: string
  url: URL
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Of `Authorization: Bearer`; empty where there is none. */
  token: string
  json: Record<string, unknown>
  form: URLSearchParams
  bytes: Buffer
}

export interface Said {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/**
 * What goes wrong with one request that publishes or changes a post: it ends before it is done, or after it without an answer, or is
 * done and never answered; or it is answered so, in place of being done or, with `done`, after it.
 */
export type Mishap = 'cut before' | 'cut after' | 'silence' | (Said & { done?: true })

/** A mail to one reader, as a platform has taken it. */
export interface SentMail {
  messageId: string
  to: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

export type ChannelType = Exclude<keyof ChannelOptions, 'redirectUrls'>

/** A platform, written from its documentation; the tests of all connectors drive it through this. */
export interface Platform extends AsyncDisposable {
  type: ChannelType
  url: string
  /** How often something with these words was published. */
  published(words: string): number
  requests: string[]
  /** The pictures that it was sent, or has fetched from their addresses, in order. */
  pictures: Buffer[]
  /** The HTML of the last mail. */
  html?: string
  /** Mails to single readers, in order; left out where there are none. */
  mails?: SentMail[]
  /** Taken from the front, one for each request that publishes or changes a post. */
  mishaps: Mishap[]
  /** How many requests wait for an answer that never comes. */
  silences(): number
  /** Called with each request before anything is done about it, and waited for. */
  watchers?: Array<(asked: Asked) => unknown>
  /** Its words for what can go wrong. */
  says: {
    /** The token has ended. */
    expired: Said
    /** Too much was asked for. */
    quota: Said
    /** A person has to see to it. */
    policy: Said
    /** It has it already. */
    duplicate?: Said
  }
  /** How an account is connected: what is pasted, or by consent, in which case its tokens are those of the provider of the test. */
  login: { server?: string; username?: string; secret: string } | 'consent'
  /** Whether an access token is good; of a platform with consent the test says it. */
  accepts: (token: string) => boolean
  /** Whether who has consented agreed to a scope; left out where there are none. */
  grants?: (token: string, scope: string) => boolean
  /** What is chosen where the consent opens several. */
  account?: string
  /** A token that has ended is renewed, and is not the end of the connection. */
  renews: boolean
  /** Ends everything, where the provider of the test is not the one who does. */
  shutOut?(): void
  /** Milliseconds since the epoch, as the test has it. */
  now(): number
  /** Lists and single reads show nothing of what was published, as a platform that is not asked or is slow. */
  hides: boolean
  /** What is known after a lost answer: the platform finds it, needs no asking, or a person is asked. */
  afterLoss: 'published' | 'unknown'
  /** And of a post that never arrived. */
  afterNothing: 'published' | 'unknown'
  removes: boolean
  /** Posts that are out can be changed; left out where they cannot. */
  edits?: {
    of: 'text' | 'text and pictures'
    /** The posts that are there, by the first line of their text. */
    live(): string[]
    /** Someone deletes all posts there. */
    clear(): void
  }
  /** What it counts of the account as a whole on every day; left out where it tells nothing. */
  accountFigures?: Record<string, number>
  /** What it counts of every post; left out where it counts nothing of single posts. */
  figures?: Record<string, number>
  /** How many have looked at, or liked, each post, and the account. */
  popularity: number
}

/** A server that answers by `respond`; `writes` tells the requests that mishaps hit. */
export async function serve(
  respond: (asked: Asked) => Said | Promise<Said>,
  writes: (asked: Asked) => boolean,
): Promise<
  Pick<Platform, 'url' | 'requests' | 'pictures' | 'mishaps' | 'silences' | 'watchers'> & AsyncDisposable
> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const url = new URL(request.url ?? '/', self.url)
    const { headers } = request
    const isJson = headers['content-type']?.startsWith('application/json')
    const asked: Asked = {
      method: request.method ?? 'GET',
      url,
      path: url.pathname,
      query: url.searchParams,
      headers,
      token: /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '',
      json: isJson ? (JSON.parse(bytes.toString() || '{}') as Record<string, unknown>) : {},
      form: new URLSearchParams(isJson ? '' : bytes.toString()),
      bytes,
    }
    self.requests.push(`${asked.method} ${asked.path}`)
    for (const watcher of self.watchers) await watcher(asked)
    const mishap = writes(asked) ? self.mishaps.shift() : undefined
    if (mishap === 'cut before') return void response.destroy()
    const done = typeof mishap === 'object' && !mishap.done ? mishap : await respond(asked)
    if (mishap === 'cut after') return void response.destroy()
    if (mishap === 'silence') {
      silent.add(response)
      return void response.once('close', () => silent.delete(response))
    }
    const said = typeof mishap === 'object' ? mishap : done
    const isBytes = said.body instanceof Uint8Array
    // A connection that is kept may end under the next request, which would be one mishap more.
    response.writeHead(said.status, {
      connection: 'close',
      ...(said.body !== undefined && !isBytes && { 'content-type': 'application/json' }),
      ...said.headers,
    })
    const isRaw = isBytes || typeof said.body === 'string'
    response.end(isRaw ? said.body : said.body === undefined ? '' : JSON.stringify(said.body))
  }
  const silent = new Set<ServerResponse>()
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const self = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [] as string[],
    pictures: [] as Buffer[],
    mishaps: [] as Mishap[],
    silences: () => silent.size,
    watchers: [] as Array<(asked: Asked) => unknown>,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return self
}

/** Fetches pictures from their addresses, as platforms do that take no files. @returns false when one of them is not there */
export async function fetchInto(pictures: Buffer[], ...addresses: unknown[]): Promise<boolean> {
  for (const address of addresses) {
    const answer = await fetch(String(address))
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.status !== 200 || !answer.headers.get('content-type')?.startsWith('image/')) return false
    pictures.push(bytes)
  }
  return true
}

/** An answer that is none of the refusals. */
export const says = (body: unknown): Said => ({ status: 200, body })
/** One without a body. */
export const fails = (status: number): Said => ({ status })

/** A place on the web from which pictures are fetched. */
export async function servePictures() {
  const bytes = jpegOf()
  const clip = Buffer.from('....ftypisom....moov')
  return serve(
    ({ path }) =>
      path.endsWith('.mp4')
        ? { status: 200, body: clip }
        : { status: 200, body: bytes, headers: { 'content-type': 'image/jpeg' } },
    () => false,
  )
}

/** Counts what was published, by the first line of its text. */
export function counter() {
  const counts = new Map<string, number>()
  return {
    add: (text: string) => {
      const words = firstLine(text)
      counts.set(words, (counts.get(words) ?? 0) + 1)
    },
    published: (words: string) => counts.get(words) ?? 0,
  }
}

/** The first line of a post. */
export const firstLine = (text: string) => text.trim().split('\n')[0]?.trim() ?? ''
