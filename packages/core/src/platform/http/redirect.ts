import { OutboundError } from './outbound-error.ts'

/** Headers that say nothing secret: the only ones that go along to another origin. */
const CARRIED = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'range',
  'user-agent',
])

/** Headers that the client sets itself; a caller's own would change whom the request reaches or how it is framed. */
const FRAMING = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The parts of a request that a redirect changes. */
export interface Hop<Body> {
  url: URL
  method: string
  headers: Headers
  body: Body | undefined
}

/**
 * A copy of the caller's headers without those that frame the message or name the host.
 * @throws {OutboundError} `bad_request` for a name or value that HTTP does not allow
 */
export function cleanHeaders(headers: HeadersInit | undefined): Headers {
  let clean: Headers
  try {
    clean = new Headers(headers)
  } catch {
    throw new OutboundError('bad_request', 'A header has a name or a value that HTTP does not allow.')
  }
  for (const name of FRAMING) clean.delete(name)
  return clean
}

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status)
}

/** Where a `Location` leads; undefined where that is no readable URL. */
export function readLocation(location: string, from: URL): URL | undefined {
  // Header bytes come as Latin-1; a location that is not ASCII is UTF-8 in practice.
  const text = Buffer.from(location, 'latin1').toString('utf8')
  return URL.canParse(text, from) ? new URL(text, from) : undefined
}

/**
 * The request that follows a redirect, as browsers do it: 303, and 301 or 302 after a POST, become a GET without a
 * body. On another origin every header goes except the harmless ones: which of them holds a key, no one can know.
 */
export function nextHop<Body>(hop: Hop<Body>, status: number, url: URL): Hop<Body> {
  const headers = new Headers(hop.headers)
  if (url.origin !== hop.url.origin) {
    for (const name of Array.from(headers.keys())) if (!CARRIED.has(name)) headers.delete(name)
  }
  const toGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST')
  if (!toGet) return { url, method: hop.method, headers, body: hop.body }
  for (const name of Array.from(headers.keys())) if (name.startsWith('content-')) headers.delete(name)
  return { url, method: 'GET', headers, body: undefined }
}
