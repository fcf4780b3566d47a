import type { Heard } from './requests.ts'

/** The state of the connection: online, offline, or online and logged out. */
export type LinkState = 'reached' | 'cut' | 'refused'

export interface Link {
  readonly state: LinkState
  /** When the server last answered, milliseconds since the epoch: shown data is at most that new. */
  readonly heardAt: number
  heard(what: Heard): void
  close(): void
}

/** Delay between two attempts to reach the server, milliseconds: the first, and the longest. */
const firstWaitMs = 1_000
const longestWaitMs = 15_000

interface LinkOptions {
  now(): number
  after(ms: number, fn: () => void): () => void
  /** Called when the state changes. */
  changed(): void
  /** Sends a request to the server to learn whether it answers. */
  retry(): void
}

/** Tracks whether the server can be reached, and retries with increasing delays until it can. */
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
