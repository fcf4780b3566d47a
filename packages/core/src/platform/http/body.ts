import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { OutboundError } from './outbound-error.ts'

/** What the client offers to decode; sent unless the caller asks for something else. */
export const ACCEPT_ENCODING = 'gzip, br'

export interface BodyLimits {
  host: string
  /** The most bytes to read, after decoding, so that a small file that unpacks to a large one is caught. */
  maxBytes: number
  /** Gives an error of the connection or the decoder its reason. */
  toError: (error: unknown) => unknown
  /** Called for each piece that arrived. */
  onBytes: () => void
  /** Called once: the body was read to its end, failed or was cancelled. */
  onEnd: () => void
}

/**
 * Turns a response body into a bounded, decoded stream. Nothing is read before the reader asks.
 * @param encoding the `Content-Encoding` of the response
 * @throws {OutboundError} `bad_response` for an encoding that was not offered
 */
export function boundedBody(raw: Readable, encoding: string, limits: BodyLimits): ReadableStream<Uint8Array> {
  const source = decoded(raw, encoding, limits.host)
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  let size = 0
  let ended = false
  const end = (): void => {
    if (ended) return
    ended = true
    limits.onEnd()
  }
  // A body that is cut off before anybody reads it must not end the process; the reader gets the error when it asks.
  source.on('error', () => {})

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (done) {
            end()
            controller.close()
            return
          }
          size += value.byteLength
          if (size > limits.maxBytes) throw responseTooLarge(limits)
          limits.onBytes()
          controller.enqueue(value)
        } catch (error) {
          end()
          source.destroy()
          throw limits.toError(error)
        }
      },
      cancel() {
        end()
        source.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The error for a body that is, or says that it is, larger than the limit. */
export function responseTooLarge({ host, maxBytes }: Pick<BodyLimits, 'host' | 'maxBytes'>): OutboundError {
  return new OutboundError('too_large', `The answer of ${host} is larger than ${maxBytes} bytes.`)
}

/** Reads a bounded stream to its end. */
export async function readAll(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts)
}

function decoded(raw: Readable, encoding: string, host: string): Readable {
  const decoder = decoderOf(encoding.trim().toLowerCase(), host)
  // Either side's failure destroys the other; the reader hears of it from the decoder.
  return decoder ? pipeline(raw, decoder, () => {}) : raw
}

function decoderOf(encoding: string, host: string) {
  switch (encoding) {
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new OutboundError('bad_response', `${host} answered in an encoding that was not asked for.`)
  }
}
