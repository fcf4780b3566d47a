import { type WorkItem, type WorkQueue, workStates } from '../operations/queue.ts'
import type { Shell } from './shell.ts'

/** How many are asked for at once; the next ones are fetched when the end comes near. */
const page = 200

export const views = ['waiting', ...workStates, 'all'] as const
export type View = (typeof views)[number]

/** The lines of the queue as far as they have been fetched. */
export interface QueueFeed {
  readonly items: readonly WorkItem[]
  readonly counts: WorkQueue['counts']
  /** Whether the server has been heard at all. */
  readonly loaded: boolean
  readonly hasMore: boolean
  /**
   * Fetches the next lines, or those that there were `anew`; `whole` goes on to the end. One at a time: what is asked for
   * meanwhile follows.
   */
  load(view: View, how: { anew: boolean; whole: boolean }): Promise<void>
}

/** @param changed told when lines have come */
export function queueFeed(shell: Shell, signal: AbortSignal, changed: () => void): QueueFeed {
  let items: readonly WorkItem[] = []
  let counts = { pending: 0, running: 0, blocked: 0, failed: 0 }
  let cursor: string | undefined
  let loaded = false
  let shown: View | undefined
  let loading = false
  let waiting: Parameters<QueueFeed['load']> | undefined

  const fetch = (view: View, from: string | undefined) =>
    shell.client.call('cli', 'GET /queue', {
      query: {
        limit: page,
        ...(view !== 'waiting' && { status: view }),
        ...(from !== undefined && { cursor: from }),
        ...(shell.tenantId !== undefined && { tenantId: shell.tenantId }),
      },
      signal,
    })
  const read = async (view: View, { anew, whole }: { anew: boolean; whole: boolean }) => {
    if (!anew && cursor === undefined) return
    const wanted = anew ? Math.max(page, items.length) : items.length + page
    const old = items
    const found: WorkItem[] = anew ? [] : [...items]
    let from = anew ? undefined : cursor
    do {
      const part = await fetch(view, from)
      for (const state of workStates) found.push(...part[state])
      counts = part.counts
      from = part.pagination.nextCursor ?? undefined
      cursor = from
      loaded = true
      // Until as many have come as there were, the old ones stay: nobody's place in the list is lost.
      items = anew && from !== undefined && found.length < old.length ? old : [...found]
      changed()
    } while (from !== undefined && (whole || found.length < wanted) && !signal.aborted && !waiting?.[1].anew)
  }
  const load: QueueFeed['load'] = async (view, how) => {
    if (loading) {
      if (!waiting?.[1].anew || how.anew) waiting = [view, how]
      return
    }
    loading = true
    if (view !== shown) {
      items = []
      cursor = undefined
    }
    shown = view
    await shell.attempt(() => read(view, how))
    loading = false
    const next = waiting
    waiting = undefined
    if (next && !signal.aborted) await load(...next)
  }
  return {
    get items() {
      return items
    },
    get counts() {
      return counts
    },
    get loaded() {
      return loaded
    },
    get hasMore() {
      return cursor !== undefined
    },
    load,
  }
}
