import { type Clock, pause } from './clock.ts'

/** How long text is collected before it is sent, so that a run stays within its requests a minute. */
const batchMs = 2_000
/** The longest piece, in UTF-16 units; Copydesk takes twice as much. */
const longestPiece = 50_000
/** How long the last of the text may take to get through before the result goes without it, which holds all of it anyway. */
const endMs = 15_000

/** Sends the text of a run as it is written: in pieces with growing numbers, one after the other. */
export interface TextSender {
  /** All text so far. */
  readonly text: string
  push(delta: string): void
  /** Sends everything anew from the first number on, for an attempt that knows nothing of it yet. */
  restart(): void
  /** Sends what is left without waiting for more. Resolves when it is there, or when it cannot get there; then none follows. */
  end(): Promise<void>
  /** Sends nothing more. */
  stop(): void
}

/** @param send one piece; it fails when no further piece can get through */
export function createTextSender(
  clock: Clock,
  send: (delta: string, sequenceNum: number, signal: AbortSignal) => Promise<unknown>,
): TextSender {
  const stopped = new AbortController()
  let text = ''
  /** How much of the text is there, and under which number the next piece goes. */
  let place = { length: 0, number: 0 }
  let ending = false
  let hurry: AbortController | undefined
  let sending: Promise<void> | undefined
  /** Gives the piece up that is on its way to an attempt that is over. */
  let attempt = new AbortController()
  let last = -Infinity

  const nextPiece = () => {
    let end = Math.min(text.length, place.length + longestPiece)
    // Half of a pair means nothing: its other half comes with the next piece.
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
