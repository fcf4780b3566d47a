import type { Clock } from '../platform/clock.ts'

/** An open stream as the heart beats for it. */
export interface RegisteredStream {
  sendHeartbeat(frame: Uint8Array): void
  /** Ends it when its caller may not follow any longer. */
  recheck(): void
  close(): void
}

/** All open streams of one gateway: one heart for all, and one place to end them. */
export interface StreamRegistry {
  readonly size: number
  readonly maxBuffer: number
  add(stream: RegisteredStream): void
  remove(stream: RegisteredStream): void
  /** Ends the streams of those who are refused from now on. */
  recheck(): void
  /** Ends every open stream. */
  closeAll(): void
}

const heartbeat = new TextEncoder().encode(': keep-alive\n\n')

/**
 * @param everyMs between two heartbeats; the heart stands still while no stream is open
 * @param maxBuffer bytes that may wait for one slow reader
 */
export function createStreamRegistry(clock: Clock, everyMs: number, maxBuffer: number): StreamRegistry {
  const streams = new Set<RegisteredStream>()
  let stop: (() => void) | undefined
  const beat = () => {
    for (const stream of streams) stream.sendHeartbeat(heartbeat)
    stop = streams.size > 0 ? clock.after(everyMs, beat) : undefined
  }
  return {
    get size() {
      return streams.size
    },
    maxBuffer,
    add(stream) {
      streams.add(stream)
      stop ??= clock.after(everyMs, beat)
    },
    remove(stream) {
      streams.delete(stream)
      if (streams.size > 0 || !stop) return
      stop()
      stop = undefined
    },
    recheck() {
      for (const stream of streams) stream.recheck()
    },
    closeAll() {
      for (const stream of streams) stream.close()
    },
  }
}
