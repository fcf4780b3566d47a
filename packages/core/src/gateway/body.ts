import type { IncomingMessage } from 'node:http'
import { DomainError } from '../kernel/errors.ts'
import { parseJson } from './json.ts'
import { header, type Incoming } from './request-context.ts'

const none = Buffer.alloc(0)
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** True when the request carries a body or may carry one. */
export function hasBody(incoming: Incoming): boolean {
  const { node, web } = incoming
  if (!node) return web?.body != null
  const { headers } = node.req
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** The refusal of a body that is larger than `limit` bytes. */
export function bodyTooLarge(limit: number, field?: string): DomainError {
  const size = limit >= 1 << 20 ? `${+(limit / (1 << 20)).toFixed(1)} MiB` : `${limit} bytes`
  return new DomainError('PAYLOAD_TOO_LARGE', `Larger than the limit of ${size}`, field ? { field } : {})
}

/**
 * Reads the whole body.
 * @param limit in bytes; also bounds a body that never ends
 * @throws DomainError `PAYLOAD_TOO_LARGE`
 */
export async function readBytes(incoming: Incoming, limit: number): Promise<Buffer> {
  if (!hasBody(incoming)) return none
  const declared = Number(header(incoming, 'content-length') ?? 0)
  if (declared > limit) throw bodyTooLarge(limit)
  if (incoming.node) return readNode(incoming.node.req, limit)
  return readWeb(incoming.web as Request, limit)
}

/** The refusal of a request whose sender has left; no one hears it. */
export const cutShort = () => new DomainError('BAD_REQUEST', 'The request ended before its body did')

function readNode(req: IncomingMessage, limit: number): Promise<Buffer> {
  if (req.readableEnded) return Promise.resolve(readElsewhere(req, limit))
  // Its sender left while it was asked who that is: neither an end nor a close is heard any more.
  if (req.destroyed) return Promise.reject(cutShort())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const done = (error: DomainError | undefined) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      if (error) reject(error)
      else resolve(join(chunks, size))
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) done(bodyTooLarge(limit))
      else chunks.push(chunk)
    }
    const onEnd = () => done(undefined)
    const onClose = () => done(cutShort())
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

/** A body that the embedding program's own parser has already taken from the wire. */
function readElsewhere(req: IncomingMessage, limit: number): Buffer {
  const { rawBody, body } = req as { rawBody?: unknown; body?: unknown }
  const bytes = Buffer.isBuffer(rawBody)
    ? rawBody
    : Buffer.isBuffer(body)
      ? body
      : body === undefined
        ? none
        : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  if (bytes.length > limit) throw bodyTooLarge(limit)
  return bytes
}

async function readWeb(request: Request, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  for (;;) {
    const part = await reader.read().catch(() => {
      throw cutShort()
    })
    if (part.done) return join(chunks, size)
    size += part.value.byteLength
    if (size > limit) {
      reader.cancel().catch(() => {})
      throw bodyTooLarge(limit)
    }
    chunks.push(part.value)
  }
}

function join(chunks: readonly Uint8Array[], size: number): Buffer {
  const only = chunks[0]
  return chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks, size)
}

/** The media type of the body, lower-case and without parameters. */
export function mediaType(incoming: Incoming): string {
  const value = header(incoming, 'content-type') ?? ''
  const semicolon = value.indexOf(';')
  return (semicolon < 0 ? value : value.slice(0, semicolon)).trim().toLowerCase()
}

const jsonType = /^application\/(?:json|[\w.-]+\+json)$/

/**
 * Reads a body of bytes as JSON; an empty one counts as an object without fields.
 * @throws DomainError `UNSUPPORTED_MEDIA_TYPE`, `VALIDATION_ERROR`
 */
export function decodeJson(incoming: Incoming, bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  checkJsonType(incoming)
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new DomainError('VALIDATION_ERROR', 'The body is not valid UTF-8')
  }
  return parseJson(text)
}

function checkJsonType(incoming: Incoming): void {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(header(incoming, 'content-type') ?? '')?.[1]
  const encoding = header(incoming, 'content-encoding')
  const problem = !jsonType.test(mediaType(incoming))
    ? 'Send the body as application/json'
    : charset !== undefined && charset.toLowerCase() !== 'utf-8'
      ? 'Send the body in UTF-8'
      : encoding !== undefined && encoding !== 'identity'
        ? 'Send the body without compression'
        : undefined
  if (problem) throw new DomainError('UNSUPPORTED_MEDIA_TYPE', problem)
}
