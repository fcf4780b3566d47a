import type { ServerResponse } from 'node:http'
import type { RequestContext } from './request-context.ts'

/** What is read of a file and sent at once, bytes. */
const partBytes = 65_536

/** Sends a body as fast as the other side takes it, and ends the answer. Where the body fails, the connection is broken off. */
export async function pipe(
  x: RequestContext,
  res: ServerResponse,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const reader = body instanceof ReadableStream ? byteReader(body) : undefined
  let wake: (() => void) | undefined
  const onChange = () => wake?.()
  res.on('close', onChange)
  if (!reader) res.on('drain', onChange)
  try {
    for await (const part of reader ? partsInOneBuffer(reader) : body) {
      if (res.destroyed) return
      x.bytes += part.byteLength
      await new Promise<void>((resolve) => {
        wake = resolve
        // A buffer that is used again must have left before the next bytes are read into it.
        if (reader) res.write(part, () => resolve())
        else if (res.write(part)) resolve()
      })
    }
    res.end()
  } catch (error) {
    // The status is out; only a broken connection can still say that this is not the whole.
    x.runtime.log.error('The body of an answer broke off', { requestId: x.requestId, error })
    res.destroy()
  }
}

/** @returns undefined for a stream that gives its own buffers only */
function byteReader(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: 'byob' })
  } catch (error) {
    if (error instanceof TypeError && !stream.locked) return undefined
    throw error
  }
}

/**
 * The bytes of a stream, all in the same buffer: a part is good until the next one is asked for. A new buffer for each would be
 * memory that is only given back by the next collection, tens of megabytes of a large file.
 */
async function* partsInOneBuffer(reader: ReadableStreamBYOBReader): AsyncGenerator<Uint8Array> {
  let buffer = new ArrayBuffer(partBytes)
  try {
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(buffer))
      if (done) return
      yield value
      buffer = value.buffer
    }
  } finally {
    await reader.cancel()
  }
}
