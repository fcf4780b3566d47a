import type { Heard } from './requests.ts'

/** How the server can be reached: it can, it cannot, or it can and nobody is logged in any more. */
export type LinkState = 'reached' | 'cut' | 'refused'

export interface Link {
  readonly state: LinkState
  /** When the server answered last, milliseconds since the epoch: what is shown is no younger. */
  readonly heardAt: number
  heard(what: Heard): void
  close(): void
}

/** Between two attempts to reach a server that is gone, milliseconds: the first, and the longest. */
const firstWaitMs = 1_000
const longestWaitMs = 15_000

interface LinkOptions {
  now(): number
  after(ms: number, fn: () => void): () => void
  /** The state has changed. */
  changed(): void
  /** Asks the server for something, so that it is heard of. */
  retry(): void
}

/** Keeps in mind whether the server can be reached, and asks again, ever less often, until it can. */
export function createLink({ now, after, changed, retry }: LinkOptions): Link {
  let state: LinkState = 'reached'
  let heardAt = now()
  let waitMs = firstWaitMs
  let pending: (() => void) | undefined

  const again = () => {
    pending ??= after(waitMs, () => {
      pending = undefined
      if (state === 'reached') return
      waitMs = Math.min(longestWaitMs, waitMs * 2)
      again()
      retry()
    })
  }
  const close = () => {
    pending?.()
    pending = undefined
  }
  return {
    get state() {
      return state
    },
    get heardAt() {
      return heardAt
    },
    heard(what) {
      const before = state
      state = what === 'answered' ? 'reached' : what === 'refused' ? 'refused' : 'cut'
      if (state === 'reached') {
        heardAt = now()
        waitMs = firstWaitMs
        close()
      } else again()
      if (state !== before) changed()
    },
    close,
  }
}
