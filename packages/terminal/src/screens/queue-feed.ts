import { type WorkItem, type WorkQueue, workStates } from '../operations/queue.ts'
import type { Shell } from './shell.ts'

/** Page size; the next page is loaded near the end of the list. */
const page = 200

export const views = ['waiting', ...workStates, 'all'] as const
export type View = (typeof views)[number]

/** The rows of the queue that are loaded so far. */
export interface QueueFeed {
  readonly items: readonly WorkItem[]
  readonly counts: WorkQueue['counts']
  /** Whether the server has answered at least once. */
  readonly loaded: boolean
  readonly hasMore: boolean
  /**
   * Loads the next page, or with `again` reloads the loaded rows; `whole` loads all pages. One request at a
   * time: later calls are queued.
   */
  load(view: View, how: { reload: boolean; whole: boolean }): Promise<void>
}

/** @param changed called when rows have arrived */
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
  const read = async (view: View, { reload, whole }: { reload: boolean; whole: boolean }) => {
    if (!reload && cursor === undefined) return
    const wanted = reload ? Math.max(page, items.length) : items.length + page
    const old = items
    const found: WorkItem[] = reload ? [] : [...items]
    let from = reload ? undefined : cursor
    do {
      const part = await fetch(view, from)
      for (const state of workStates) found.push(...part[state])
      counts = part.counts
      from = part.pagination.nextCursor ?? undefined
      cursor = from
      loaded = true
      // Until as many rows have arrived as there were, the old ones stay, so that the selection is not lost.
      items = reload && from !== undefined && found.length < old.length ? old : [...found]
      changed()
    } while (
      from !== undefined &&
      (whole || found.length < wanted) &&
      !signal.aborted &&
      !waiting?.[1].reload
    )
  }
  const load: QueueFeed['load'] = async (view, how) => {
    if (loading) {
      if (!waiting?.[1].reload || how.reload) waiting = [view, how]
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
