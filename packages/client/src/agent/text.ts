import { type Clock, pause } from './clock.ts'

/** How long text is buffered before it is sent, so that a run stays within its rate limit. */
const batchMs = 2_000
/** Maximum length of a delta, in UTF-16 units; Copydesk accepts twice as much. */
const longestPiece = 50_000
/**
 * How long the last deltas may take before the result is sent without them, which contains all text anyway.
 */
const endMs = 15_000

/** Streams the text of a run as it is written: in deltas with increasing numbers, one after the other. */
export interface TextSender {
  /** All text so far. */
  readonly text: string
  push(delta: string): void
  /** Sends everything again from the first number on, for a new attempt. */
  restart(): void
  /**
   * Sends the rest without further buffering. Resolves when it has arrived, or cannot arrive; nothing is sent
   * afterwards.
   */
  end(): Promise<void>
  /** Sends nothing more. */
  stop(): void
}

/** @param send sends one delta; fails when no further delta can be sent */
export function createTextSender(
  clock: Clock,
  send: (delta: string, sequenceNum: number, signal: AbortSignal) => Promise<unknown>,
): TextSender {
  const stopped = new AbortController()
  let text = ''
  /** How much of the text was sent, and the number of the next delta. */
  let place = { length: 0, number: 0 }
  let ending = false
  let hurry: AbortController | undefined
  let sending: Promise<void> | undefined
  /** Aborts the delta that is being sent for an attempt that is over. */
  let attempt = new AbortController()
  let last = -Infinity

  const nextPiece = () => {
    let end = Math.min(text.length, place.length + longestPiece)
    // Half of a surrogate pair is kept back for the next delta.
    if (isFirstHalf(text.charCodeAt(end - 1)) && !(ending && end === text.length)) end -= 1
    return text.slice(place.length, end)
  }
  /** Waits until the batch is due; the end of the run does not wait. */
  const collect = async () => {
    const waitMs = last + batchMs - clock.now()
    if (ending || !(waitMs > 0)) return
    hurry = new AbortController()
    await pause(clock, waitMs, AbortSignal.any([hurry.signal, stopped.signal])).catch(() => undefined)
  }
  const sendAll = async () => {
    while (nextPiece() !== '' && !stopped.signal.aborted) {
      await collect()
      if (stopped.signal.aborted) return
      const from = place
      const piece = nextPiece()
      last = clock.now()
      const { signal } = attempt
      try {
        await send(piece.toWellFormed(), from.number, AbortSignal.any([signal, stopped.signal]))
      } catch (error) {
        if (!signal.aborted) throw error
      }
      if (place === from) place = { length: from.length + piece.length, number: from.number + 1 }
    }
  }
  const go = () => {
    sending ??= sendAll()
      .catch(() => stopped.abort())
      .finally(() => {
        sending = undefined
        if (nextPiece() !== '' && !stopped.signal.aborted) go()
      })
  }
  return {
    get text() {
      return text
    },
    push(delta) {
      text += delta
      go()
    },
    restart() {
      place = { length: 0, number: 0 }
      last = -Infinity
      attempt.abort()
      attempt = new AbortController()
      go()
    },
    async end() {
      ending = true
      hurry?.abort()
      go()
      const cancel = clock.after(endMs, () => stopped.abort())
      while (sending) await sending
      cancel()
      stopped.abort()
    },
    stop: () => stopped.abort(),
  }
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
