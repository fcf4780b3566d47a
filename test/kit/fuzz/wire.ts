import { connect } from 'node:net'
import fc from 'fast-check'

/** Bytes of a request as they go over a socket, piece by piece. */
export interface Wire {
  pieces: readonly Uint8Array[]
  /** True where HTTP itself is broken: node may refuse it in its own words, or hang up. */
  broken: boolean
  /** Whether the sender is gone as soon as the last byte is out. */
  leaves?: boolean
  /** What was done to the request. */
  how: string
}

type Headers = readonly (readonly [string, string])[]

interface Plain {
  method: string
  target: string
  headers: Headers
  body: Uint8Array | undefined
}

const latin = (text: string) => Buffer.from(text, 'latin1')

function head({ method, target, headers }: Plain, more: Headers = [], version = 'HTTP/1.1'): Buffer {
  const own: Headers = [['host', 'copydesk.test'], ['connection', 'close'], ...more]
  const lines = [...own, ...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  return latin(`${method} ${target} ${version}\r\n${lines.join('')}\r\n`)
}

const sized = (plain: Plain): Headers =>
  plain.body === undefined ? [] : [['content-length', String(plain.body.length)]]
const bodyOf = ({ body }: Plain) => Buffer.from(body ?? new Uint8Array())

function chunks(bytes: Buffer, size: number, extension = ''): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size)
    parts.push(latin(`${part.length.toString(16)}${extension}\r\n`), part, latin('\r\n'))
  }
  return Buffer.concat([...parts, latin('0\r\n\r\n')])
}

type Sending = (plain: Plain) => Omit<Wire, 'how'>

/** Ways that keep to HTTP. */
const kept: Record<string, Sending> = {
  'as it is': (plain) => ({ pieces: [head(plain, sized(plain)), bodyOf(plain)], broken: false }),
  'in chunks': (plain) => ({
    pieces: [head(plain, [['transfer-encoding', 'chunked']]), chunks(bodyOf(plain), 7)],
    broken: false,
  }),
  'in chunks with extensions': (plain) => ({
    pieces: [head(plain, [['Transfer-Encoding', 'chunked']]), chunks(bodyOf(plain), 100, ';a="b"')],
    broken: false,
  }),
  'byte by byte': (plain) => {
    const all = Buffer.concat([head(plain, sized(plain)), bodyOf(plain)])
    const drops = Array.from({ length: Math.min(300, all.length) }, (_, i) => all.subarray(i, i + 1))
    return { pieces: [...drops, all.subarray(drops.length)], broken: false }
  },
  'right behind another one': (plain) => ({
    pieces: [
      Buffer.concat([
        latin('GET /health HTTP/1.1\r\nhost: copydesk.test\r\n\r\n'),
        head(plain, sized(plain)),
        bodyOf(plain),
      ]),
    ],
    broken: false,
  }),
  'with large headers': (plain) => ({
    pieces: [
      head(plain, [
        ...sized(plain),
        ...Array.from({ length: 60 }, (_, i) => [`x-${i}`, 'y'.repeat(100)] as const),
      ]),
      bodyOf(plain),
    ],
    broken: false,
  }),
  'in the absolute form': (plain) => ({
    pieces: [head({ ...plain, target: `http://evil.example${plain.target}` }, sized(plain)), bodyOf(plain)],
    broken: false,
  }),
  'expecting to be told to go on': (plain) => ({
    pieces: [head(plain, [...sized(plain), ['expect', '100-continue']]), bodyOf(plain)],
    broken: false,
  }),
  'asking for another protocol': (plain) => ({
    pieces: [
      head({ ...plain, headers: plain.headers.filter(([name]) => name !== 'connection') }, [
        ...sized(plain),
        ['upgrade', 'websocket'],
        ['connection', 'upgrade'],
      ]),
      bodyOf(plain),
    ],
    broken: true,
  }),
  'as HTTP/1.0': (plain) => ({
    pieces: [head(plain, sized(plain), 'HTTP/1.0'), bodyOf(plain)],
    broken: false,
  }),
  'with a body where none belongs': (plain) => {
    const body = latin('{"a":1}')
    return { pieces: [head({ ...plain, method: 'GET' }, [['content-length', '7']]), body], broken: false }
  },
  'with another method': (plain) => ({
    pieces: [head({ ...plain, method: 'PROPFIND' }, sized(plain)), bodyOf(plain)],
    broken: false,
  }),
  'as HEAD': (plain) => ({ pieces: [head({ ...plain, method: 'HEAD' })], broken: false }),
  'as OPTIONS': (plain) => ({ pieces: [head({ ...plain, method: 'OPTIONS' })], broken: false }),
}

/** Ways that do not. */
const broken: Record<string, Sending> = {
  'with less than was promised': (plain) => ({
    pieces: [head(plain, [['content-length', String(bodyOf(plain).length + 10)]]), bodyOf(plain)],
    broken: true,
  }),
  'with more than was promised': (plain) => ({
    pieces: [head(plain, [['content-length', '1']]), bodyOf(plain), latin('{"a":')],
    broken: true,
  }),
  'with two lengths': (plain) => ({
    pieces: [head(plain, [...sized(plain), ['content-length', '3'], ['Content-Length', '4']]), bodyOf(plain)],
    broken: true,
  }),
  'with a length and in chunks': (plain) => ({
    pieces: [
      head(plain, [
        ['content-length', '4'],
        ['transfer-encoding', 'chunked'],
      ]),
      chunks(bodyOf(plain), 50),
    ],
    broken: true,
  }),
  'with a negative length': (plain) => ({
    pieces: [head(plain, [['content-length', '-1']]), bodyOf(plain)],
    broken: true,
  }),
  'in chunks that are none': (plain) => ({
    pieces: [head(plain, [['transfer-encoding', 'chunked']]), latin('zz\r\n'), bodyOf(plain)],
    broken: true,
  }),
  'in an unknown coding': (plain) => ({
    pieces: [head(plain, [['transfer-encoding', 'chunked, gzip']]), bodyOf(plain)],
    broken: true,
  }),
  'with a folded header': (plain) => ({
    pieces: [head(plain, [...sized(plain), ['x-folded', 'a\r\n b']]), bodyOf(plain)],
    broken: true,
  }),
  'with a NUL in a header': (plain) => ({
    pieces: [head(plain, [...sized(plain), ['x-nul', 'a\0b']]), bodyOf(plain)],
    broken: true,
  }),
  'with a blank before the colon': (plain) => ({
    pieces: [head(plain, [...sized(plain), ['x-blank ', 'a']]), bodyOf(plain)],
    broken: true,
  }),
  'with too many headers': (plain) => ({
    pieces: [head(plain, [...sized(plain), ['x-big', 'z'.repeat(20_000)]]), bodyOf(plain)],
    broken: true,
  }),
  'with an expectation that no one knows': (plain) => ({
    pieces: [head(plain, [...sized(plain), ['expect', 'magic']]), bodyOf(plain)],
    broken: true,
  }),
  'in a version that is none': (plain) => ({
    pieces: [head(plain, sized(plain), 'HTTP/9.9'), bodyOf(plain)],
    broken: true,
  }),
  'without a slash': (plain) => ({ pieces: [head({ ...plain, target: 'health' })], broken: true }),
  'as nothing but a question': (plain) => ({ pieces: [head({ ...plain, target: '?a=b' })], broken: true }),
  'to the server as a whole': (plain) => ({
    pieces: [head({ ...plain, method: 'OPTIONS', target: '*' })],
    broken: true,
  }),
  'as CONNECT': (plain) => ({
    pieces: [head({ ...plain, method: 'CONNECT', target: '127.0.0.1:22' })],
    broken: true,
  }),
  'with raw bytes in its path': (plain) => ({
    pieces: [head({ ...plain, target: `${plain.target}/\xe4\xf6 \x7f` }, sized(plain)), bodyOf(plain)],
    broken: true,
  }),
  'as rubbish': (plain) => ({ pieces: [latin('\x16\x03\x01\x02\0\x01\0'), bodyOf(plain)], broken: true }),
  'and not waited for': (plain) => ({
    pieces: [head(plain, sized(plain)), bodyOf(plain)],
    broken: true,
    leaves: true,
  }),
  'and left in the middle': (plain) => ({
    pieces: [head(plain, [['content-length', String(bodyOf(plain).length + 10)]]), bodyOf(plain)],
    broken: true,
    leaves: true,
  }),
  'cut off': (plain) => ({ pieces: [head(plain, sized(plain)).subarray(0, 30)], broken: true }),
}

/** A way to send a request. */
export interface Way {
  how: string
  send(plain: Plain): Wire
}

/** Ways to send requests, most of them right. */
export const ways: fc.Arbitrary<Way> = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(...Object.entries(kept)) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.entries(broken)) },
  )
  .map(([how, send]) => ({ how, send: (plain) => sent(how, send(plain)) }))

/** What node reads of a request before it gives up. */
const longestHead = 16_000

function sent(how: string, wire: Omit<Wire, 'how'>): Wire {
  const tooLong = Buffer.concat(wire.pieces).indexOf('\r\n\r\n') > longestHead
  return { ...wire, broken: wire.broken || tooLong, how }
}

/**
 * Sends bytes to a port on this machine, then says that nothing more comes.
 * @returns everything that was answered before the other side hung up
 */
export function exchange(port: number, wire: Wire): Promise<Buffer> {
  return new Promise((resolve) => {
    const got: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    socket.on('data', (chunk: Buffer) => {
      got.push(chunk)
      // A stream of events has no end of its own.
      if (Buffer.concat(got).includes('text/event-stream')) socket.destroy()
    })
    // A rejected request may find the connection closed while it is still being sent.
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(Buffer.concat(got)))
    for (const piece of wire.pieces) socket.write(piece)
    if (wire.leaves) socket.write('', () => socket.destroy())
    else if (wire.broken) socket.end()
  })
}

/**
 * The answers in some bytes.
 * @param isHead whether the last one is to a HEAD, and has no body whatever its length says
 */
export function readAnswers(bytes: Buffer, isHead: boolean): Response[] {
  const answers: Response[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1])
    rest = rest.subarray(end + 4)
    // "Go on" is no answer yet.
    if (status >= 100 && status < 200) continue
    const pairs = lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
    const headers = new Headers(pairs)
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const length = isHead || isStream ? 0 : Number(headers.get('content-length') ?? rest.length)
    const body =
      status === 204 || status === 304 || length === 0 ? null : new Uint8Array(rest.subarray(0, length))
    answers.push(new Response(body, { status, headers }))
    rest = rest.subarray(length)
  }
}
