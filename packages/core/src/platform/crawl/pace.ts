import type { Clock } from '../clock.ts'

/** Spaces the requests of one crawl out. */
export interface Pace {
  /** Milliseconds from one request to the next; 0 at first. */
  delayMs: number
  /** Waits until a request may be sent. @throws the reason of the signal */
  turn(): Promise<void>
  /** Has no request sent for `ms` milliseconds. */
  pause(ms: number): void
}

export function createPace({ clock, signal }: { clock: Clock; signal: AbortSignal }): Pace {
  let free = 0
  return {
    delayMs: 0,
    async turn() {
      // Another request may have been told to wait meanwhile.
      for (let ms = free - clock.now(); ms > 0; ms = free - clock.now()) await wait(clock, ms, signal)
      signal.throwIfAborted()
      free = clock.now() + this.delayMs
    },
    pause(ms) {
      free = Math.max(free, clock.now() + ms)
    },
  }
}

function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      cancel()
      reject(signal.reason as Error)
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    })
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}
