import type { DraftSubject } from '../account/drafts.ts'
import { type WorkItem, workColumns, workStates } from '../operations/queue.ts'
import { row, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { decideAll } from './bulk-verdict.ts'
import { askRejection, runKept, sayKept, signed } from './drafting.ts'
import { allToggled, current, type List, listOf, listRows, meant, moved, replaced, toggled } from './list.ts'
import { followEvents } from './live.ts'
import { prompt } from './overlay.ts'
import { type QueueFeed, queueFeed, type View, views } from './queue-feed.ts'
import { arranged, filterHint, type Sort, sorts } from './queue-filter.ts'
import type { Binding, OpenScreen } from './screen.ts'
import type { Shell } from './shell.ts'

/** Distance from the end at which the next page is loaded. */
const ahead = 100
/** Minimum time between two reloads of the whole list after events, for each of its rows. */
const msPerLine = 5

/** Pending approvals and blocked activities, the highest risk first. */
export const queueScreen: OpenScreen = (shell) => {
  let list: List<WorkItem> = listOf<WorkItem>([])
  let view: View = 'waiting'
  let filter = ''
  let sort: Sort = 'risk'
  const stop = new AbortController()

  const arrange = () => {
    list = replaced(list, arranged(feed.items, filter, sort))
    shell.changed()
  }
  const feed = queueFeed(shell, stop.signal, arrange)
  /** A filter and an order apply to the whole queue, not only to loaded pages. */
  const whole = () => filter.trim() !== '' || sort !== 'risk'
  const refresh = () => void feed.load(view, { reload: true, whole: whole() })
  let due: (() => void) | undefined
  /** After an event: reloading a long list takes many requests, so it happens less often. */
  const refreshSoon = () => {
    due ??= shell.after(Math.max(0, feed.items.length - ahead) * msPerLine, () => {
      due = undefined
      if (!stop.signal.aborted) refresh()
    })
  }
  const more = () => void feed.load(view, { reload: false, whole: whole() })

  const decide = (action: 'approve' | 'reject') => async () => {
    const items = meant(list)
    const ids = items.flatMap(({ approvalId }) => approvalId ?? [])
    const [only] = ids
    if (only === undefined) return shell.say('It has no pending approval', 'dim')
    const what =
      ids.length === 1
        ? `“${items.find(({ approvalId }) => approvalId === only)?.title ?? ''}”`
        : counted(ids.length, 'approval')
    const asked =
      action === 'reject'
        ? await askRejection(shell, noteAbout(items, ids), {
            question:
              ids.length === 1
                ? `Why is ${what} rejected?`
                : `Why are ${what} rejected? Their agents read this and write other versions.`,
            hasWork: ids.length === 1 && items.some(({ activityId }) => activityId !== null),
          })
        : undefined
    if (action === 'reject' && !asked) return
    const kept = asked?.kept
    const note = kept?.text
    if (ids.length === 1) {
      const more = asked ? { note, ...(asked.end && { end: true }) } : {}
      const line = { name: action, input: { ids: [only], ...more } }
      return void (await runKept(shell, { line, ...(kept && { kept }) }))
    }
    const all = { type: undefined, risk: undefined, tenant: undefined, older: undefined, dryRun: false }
    if (await decideAll(shell, { action, ids, note, ...all })) await kept?.sent()
    else if (kept) sayKept(shell, kept.again, shell.message?.text)
  }
  const open = () => {
    const item = current(list)
    if (item?.approvalId) shell.openWork('approval', item.approvalId)
    else if (item?.activityId) shell.openWork('activity', item.activityId)
  }
  const askFilter = () => {
    const before = filter
    const look = (text: string) => {
      filter = text
      arrange()
    }
    shell.show(
      prompt(
        `Only rows with: ${filterHint}`,
        (text) => {
          look(text ?? before)
          if (whole()) more()
        },
        { text: filter, changed: look },
      ),
    )
  }
  const bindings: readonly Binding[] = [
    {
      key: 'enter',
      label: 'open',
      quiet: true,
      help: 'open it with everything that a verdict needs',
      run: open,
    },
    { key: 'a', needs: 'approve', label: 'approve', run: decide('approve') },
    {
      key: 'r',
      needs: 'reject',
      label: 'reject',
      help: 'reject it: its agent writes another version, or the activity is cancelled',
      run: decide('reject'),
    },
    { key: 'space', needs: 'bulk', label: 'mark', run: () => void (list = toggled(list)) },
    {
      key: '*',
      needs: 'bulk',
      label: 'all',
      quiet: true,
      help: 'mark all, or none',
      run: () => void (list = allToggled(list)),
    },
    { key: '/', label: 'filter', help: filterHint, run: askFilter },
    {
      key: 's',
      label: 'sort',
      quiet: true,
      help: 'by risk, age or tenant',
      run: () => {
        sort = sorts[(sorts.indexOf(sort) + 1) % sorts.length] ?? 'risk'
        arrange()
        if (whole()) more()
      },
    },
    {
      key: 'v',
      label: 'view',
      quiet: true,
      help: 'pending and blocked, pending, running, blocked, failed or all',
      run: () => {
        view = views[(views.indexOf(view) + 1) % views.length] ?? 'waiting'
        list = listOf<WorkItem>([])
        refresh()
      },
    },
  ]

  refresh()
  followEvents(shell, stop.signal, refreshSoon)
  return {
    name: 'the queue',
    title: () => {
      const sums = workStates.map((state) => `${feed.counts[state]} ${state}`).join(' · ')
      const narrowed =
        filter.trim() === ''
          ? ''
          : `  ${list.items.length} with “${filter.trim()}”${feed.hasMore ? ' so far' : ''}`
      return row(
        span(`queue: ${view}`, 'strong'),
        span(sort === 'risk' ? '' : `, by ${sort}`),
        span(list.marked.size > 0 ? `  ${list.marked.size} marked` : '', 'accent'),
        span(narrowed, 'accent'),
        span(feed.loaded ? `  ${sums}` : '', 'dim'),
      )
    },
    rows: ({ width, height }) =>
      listRows(list, columnsFor(shell, list.items), {
        width,
        height,
        empty: emptyWords(feed.loaded, filter),
        // How many of the rows that are not loaded match the filter is unknown.
        ...(filter.trim() === '' ? { total: totalOf(view, feed.counts) } : { hasMore: feed.hasMore }),
      }),
    bindings: () => bindings,
    subjects: () =>
      [current(list), ...list.items.slice(list.top, list.top + 50)].flatMap((item) => [
        ...(item?.approvalId ? [{ kind: 'approval' as const, id: item.approvalId, title: item.title }] : []),
        ...(item?.activityId ? [{ kind: 'activity' as const, id: item.activityId, title: item.title }] : []),
      ]),
    onKey(key, { height }) {
      list = moved(list, key, height) ?? list
      if (feed.hasMore && list.at > list.items.length - ahead) more()
      return current(list) !== undefined
    },
    refresh,
    close() {
      stop.abort()
      due?.()
    },
  }
}

/** A draft about one approval is continued where that is open; one about several when these are rejected. */
function noteAbout(items: readonly WorkItem[], ids: readonly string[]): DraftSubject {
  const item = ids.length === 1 ? items.find(({ approvalId }) => approvalId === ids[0]) : undefined
  return {
    kind: 'note',
    ...(item?.approvalId && { approvalId: item.approvalId }),
    ...(item?.activityId && { activityId: item.activityId }),
    title: item?.title ?? counted(ids.length, 'approval'),
    tenantName: item?.tenantName ?? '',
  }
}

/** Without a column that would be the same on every row. */
function columnsFor(shell: Shell, items: readonly WorkItem[]) {
  const { now, tenantId } = shell
  const columns = workColumns(now(), items).map((column) =>
    column.title === 'title'
      ? { ...column, cell: (item: WorkItem) => signed(shell, item.title, item) }
      : column,
  )
  return tenantId === undefined ? columns : columns.filter(({ title }) => title !== 'tenant')
}

function totalOf(view: View, counts: QueueFeed['counts']): number {
  if (view === 'waiting') return counts.pending + counts.blocked
  return view === 'all' ? counts.pending + counts.running + counts.blocked + counts.failed : counts[view]
}

function emptyWords(loaded: boolean, filter: string): string {
  if (!loaded) return 'Loading …'
  return filter.trim() === '' ? 'No items: all is done.' : 'No row matches all of that.'
}
