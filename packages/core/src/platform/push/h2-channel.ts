import { once } from 'node:events'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { PushError } from './push.ts'

/** How long a connection, a sign of life and an answer may take, milliseconds. */
const patience = { connect: 10_000, ping: 3_000, answer: 15_000 }
/** What was silent for longer is asked whether it is still there before it is used, milliseconds. */
const idleMs = 30_000
const maxBytes = 65_536

/** Error codes of RFC 9113. */
const codes = { refusedStream: 7, cancel: 8 }

interface Line {
  session: ClientHttp2Session
  usedAt: number
  /** Requests with a higher number were not looked at by a server that has said goodbye. */
  lastTaken: number
}

export interface H2Channel {
  /** @throws PushError `transient` where the server cannot have acted on it, else `unknown` */
  post(
    path: string,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<{ status: number; text: string }>
  /** @throws PushError */
  ping(): Promise<void>
  close(): Promise<void>
}

/** One connection to one server, kept open between requests and made again when it is gone. */
// Not undici's `allowH2`: it pings by its own clock alone, and a GOAWAY breaks off what the server still answers.
export function createH2Channel(options: { baseUrl: string; name: string; ca?: string }): H2Channel {
  const { name, ca } = options
  const { origin, pathname } = new URL(options.baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  let opening: Promise<Line> | undefined

  const open = async (): Promise<Line> => {
    // Loaded when something is pushed, not by every start.
    const { connect } = await import('node:http2')
    const session = connect(origin, ca === undefined ? {} : { ca })
    // A connection at rest keeps no process alive.
    session.unref()
    const line: Line = { session, usedAt: performance.now(), lastTaken: Number.POSITIVE_INFINITY }
    session.on('goaway', (_code, last) => void (line.lastTaken = last ?? line.lastTaken))
    session.on('error', () => undefined)
    try {
      await once(session, 'connect', { signal: AbortSignal.timeout(patience.connect) })
      return line
    } catch (cause) {
      session.destroy()
      const { code, message } = cause as NodeJS.ErrnoException
      throw new PushError('transient', `${name} cannot be reached: ${code ?? message}`, { cause })
    }
  }
  /** A line that is alive. */
  const line = async (): Promise<Line> => {
    const current = (opening ??= open())
    try {
      const found = await current
      const rested = performance.now() - found.usedAt
      const usable = !found.session.closed && !found.session.destroyed
      if (usable && (rested < idleMs || (await answers(found.session)))) {
        found.usedAt = performance.now()
        return found
      }
      found.session.destroy()
    } catch (error) {
      if (opening === current) opening = undefined
      throw error
    }
    if (opening === current) opening = undefined
    return line()
  }
  return {
    async post(path, headers, body, signal) {
      const used = await line()
      signal.throwIfAborted()
      const stream = used.session.request({ ':method': 'POST', ':path': prefix + path, ...headers })
      try {
        const answer = await exchange(stream, body, signal)
        used.usedAt = performance.now()
        return answer
      } catch (cause) {
        // Who does not answer one request is not asked the next on the same line.
        if (!used.session.closed) used.session.close()
        const untouched = stream.rstCode === codes.refusedStream || (stream.id ?? 0) > used.lastTaken
        const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
        throw new PushError(untouched ? 'transient' : 'unknown', `${name} gave no answer: ${why}`, { cause })
      }
    },
    async ping() {
      const { session } = await line()
      if (!(await answers(session))) throw new PushError('transient', `${name} does not answer`)
    },
    async close() {
      const current = await opening?.catch(() => undefined)
      current?.session.destroy()
    },
  }
}

async function exchange(
  stream: ClientHttp2Stream,
  body: string,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(patience.answer)])
  const giveUp = () => stream.close(codes.cancel)
  enough.addEventListener('abort', giveUp, { once: true })
  try {
    stream.setEncoding('utf8')
    stream.end(body)
    const answered = once(stream, 'response')
    // A stream that ends without an answer says so by its end alone.
    const ended = once(stream, 'close').then(() => Promise.reject(new Error('the connection ended')))
    ended.catch(() => undefined)
    const [headers] = (await Promise.race([answered, ended])) as [Record<string, unknown>]
    let text = ''
    for await (const chunk of stream) if (text.length < maxBytes) text += chunk as string
    return { status: Number(headers[':status']), text }
  } finally {
    enough.removeEventListener('abort', giveUp)
  }
}

function answers(session: ClientHttp2Session): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patience.ping)
    timer.unref()
    const asked = session.ping((error) => {
      clearTimeout(timer)
      resolve(!error)
    })
    if (!asked) resolve(false)
  })
}
