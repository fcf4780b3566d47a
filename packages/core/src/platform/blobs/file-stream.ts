import type { FileHandle } from 'node:fs/promises'
import type { ByteRange } from './blobs.ts'

/** What is read at once for a reader that brings no buffer of its own, bytes. */
const partBytes = 65_536

/**
 * The bytes of an open file, read when they are asked for and into the buffer of a reader that brings its own.
 * The file is closed at the end, after a failure, and when the stream is cancelled.
 */
export function fileStream(file: FileHandle, range?: ByteRange): ReadableStream<Uint8Array> {
  const end = range ? range.end + 1 : Number.POSITIVE_INFINITY
  let position = range?.start ?? 0

  async function pull(controller: ReadableByteStreamController) {
    const request = controller.byobRequest as ReadableStreamBYOBRequest
    const view = request.view as Uint8Array
    const { bytesRead } = await file.read(view, 0, Math.min(view.byteLength, end - position), position)
    position += bytesRead
    if (bytesRead === 0) {
      await file.close()
      controller.close()
    }
    request.respond(bytesRead)
  }

  return new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: partBytes,
    pull: (controller) =>
      pull(controller).catch(async (error: unknown) => {
        await file.close().catch(() => {})
        throw error
      }),
    cancel: () => file.close(),
  })
}
