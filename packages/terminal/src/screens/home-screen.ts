import { type FeedItem, feedColumns } from '../operations/feed.ts'
import { type Status, statusColumns } from '../operations/status.ts'
import {
  type Column,
  columnsFitting,
  cutRow,
  emptyRow,
  type Row,
  row,
  type Span,
  span,
} from '../paper/row.ts'
import { spokenTable } from '../paper/spoken.ts'
import { counted, usd } from '../paper/words.ts'
import { signed } from './drafting.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import { newCampaignBinding } from './new-campaign.ts'
import type { OpenScreen, Size } from './screen.ts'
import type { Shell } from './shell.ts'
import { campaignScreen } from './campaign-screen.ts'
import { campaignsScreen } from './campaigns-screen.ts'
import { tenantsScreen } from './tenants-screen.ts'

/** How much of the feed is asked for: who works it off sees what comes next. */
const most = 100
/** From here on there is room for two weeks in drawings. */
const wide = 90
/** How long an item is put aside, as the operation takes it. */
const whiles = ['1h', '4h', '1d', '7d']

/** What needs somebody first, how every tenant stands, and whether the installation is well. */
export const homeScreen: OpenScreen = (shell) => {
  let list: List<FeedItem> = listOf<FeedItem>([])
  let status: Status | undefined
  let loaded = false
  let hasMore = false
  const stop = new AbortController()
  const { signal } = stop
  const ofTenant = () => (shell.tenantId === undefined ? {} : { tenantId: shell.tenantId })

  const refresh = () => {
    void shell.attempt(async () => {
      const query = { limit: most, ...ofTenant() }
      const found = await shell.client.call('cli', 'GET /feed', { query, signal })
      list = replaced(list, found.data)
      hasMore = found.pagination.nextCursor !== null
      loaded = true
      shell.changed()
    })
    void shell.attempt(async () => {
      status = await shell.client.call('cli', 'GET /status', { query: { all: true, ...ofTenant() }, signal })
      shell.changed()
    })
  }
  const aside = async (name: 'dismiss' | 'snooze', more = {}) => {
    const item = current(list)
    if (item) await shell.run({ name, input: { id: item.id, ...more } })
  }

  refresh()
  followEvents(shell, signal, refresh)
  return {
    name: 'home',
    title: () => (status ? totalsRow(status) : row(span('home', 'strong'))),
    rows: (size) => homeRows({ list, status, loaded, hasMore, columns: shortColumns(shell) }, size),
    bindings: () => [
      {
        key: 'enter',
        label: 'open',
        help: 'open what needs you',
        run: () => {
          const item = current(list)
          if (!item) return
          const { kind, id } = item.subject
          if (kind === 'approval' || kind === 'activity') shell.openWork(kind, id)
          else if (!shell.desk.tenant) shell.open(tenantsScreen)
          else shell.open(kind === 'campaign' ? campaignScreen(id) : campaignsScreen)
        },
      },
      newCampaignBinding(shell),
      { key: 'd', label: 'dismiss', help: 'until something new happens to it', run: () => aside('dismiss') },
      {
        key: 's',
        label: 'snooze',
        help: 'put it aside for a while',
        run: async () => {
          if (!current(list)) return
          const until = await shell.choose('Put it aside for how long?', whiles)
          if (until !== undefined) await aside('snooze', { until })
        },
      },
    ],
    onKey(key, size) {
      list = moved(list, key, feedRoom(size, status)) ?? list
      return current(list) !== undefined
    },
    refresh,
    close: () => stop.abort(),
  }
}

function totalsRow({ totals, tenants }: Status): Row {
  const high = tenants.reduce((sum, { highRiskApprovals }) => sum + highRiskApprovals, 0)
  const parts: Span[] = [span(`${counted(totals.pendingApprovals, 'approval')} waiting`, 'strong')]
  if (high > 0) parts.push(span(` · ${high} high risk`, 'bad'))
  if (totals.blockedActivities > 0) parts.push(span(` · ${totals.blockedActivities} blocked`, 'bad'))
  return [...parts, span(` · ${totals.runningAgents} running · ${usd(totals.costMtd)} this month`, 'dim')]
}

/** Lines for the feed: what the tenants leave of the screen, and half of it at the least. */
function feedRoom({ height }: Size, status: Status | undefined): number {
  const below = (status?.tenants.length ?? 0) + 3
  return Math.max(Math.ceil(height / 2), height - below)
}

interface Shown {
  list: List<FeedItem>
  status: Status | undefined
  loaded: boolean
  /** Whether there is more in the feed than is listed. */
  hasMore: boolean
  columns: ReadonlyArray<Column<FeedItem>>
}

function homeRows({ list, status, loaded, hasMore, columns }: Shown, size: Size): Row[] {
  const height = feedRoom(size, status)
  const empty = loaded ? 'Nothing needs you.' : 'Asking the server …'
  const lines = listRows(list, columns, { width: size.width, height, empty, hasMore })
  // What needs nobody leaves its place to the tenants.
  const feed = list.items.length === 0 ? lines : filled(lines, height)
  if (!status) return feed
  const room = size.height - feed.length - 1
  return [...feed, ...tenantRows(status, size.width, room), wellRow(status, size.width)]
}

/** Without the ids: what is chosen is known by its place. The title goes before what can be left out. */
function shortColumns(shell: Shell): ReadonlyArray<Column<FeedItem>> {
  const isOne = shell.tenantId !== undefined
  const columns = feedColumns(shell.now())
    .filter(({ title }) => title !== 'id' && !(isOne && title === 'tenant'))
    .map((column) => (column.title === 'title' ? { ...column, cell: titleFor(shell) } : column))
  const rank = ({ title }: { title: string }) => (title === 'tenant' ? 1 : title === 'why' ? 2 : 0)
  return columns.toSorted((a, b) => rank(a) - rank(b))
}

const titleFor =
  (shell: Shell) =>
  ({ title, subject: { kind, id } }: FeedItem) =>
    signed(shell, title, kind === 'approval' ? { approvalId: id } : { activityId: id })

function filled(lines: readonly Row[], height: number): Row[] {
  return [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, () => emptyRow)]
}

/** As many tenants as there is room for, those first where most waits. */
function tenantRows({ tenants }: Status, width: number, room: number): Row[] {
  if (room < 2 || tenants.length === 0) return []
  const weight = (tenant: Status['tenants'][number]) =>
    tenant.highRiskApprovals * 1_000 + tenant.blockedActivities * 100 + tenant.pendingApprovals
  const sorted = tenants.toSorted((a, b) => weight(b) - weight(a))
  const fits = room - 1 >= sorted.length
  const shown = sorted.slice(0, fits ? sorted.length : Math.max(1, room - 2))
  const days = width < wide ? 10 : 14
  const latest = shown.map((tenant) => ({
    ...tenant,
    costByDay: tenant.costByDay.slice(-days),
    doneByDay: tenant.doneByDay.slice(-days),
  }))
  const fitting = columnsFitting(statusColumns, latest, width)
  const lines = spokenTable(statusColumns, fitting, latest, width)
  return fits
    ? lines
    : [...lines, row(span(`… and ${sorted.length - shown.length} more: 4`, 'dim'))].slice(0, room)
}

/** Which services of the installation are not well, and why; the others by their number. */
function wellRow({ infrastructure }: Status, width: number): Row {
  const ill = infrastructure.filter(({ status }) => status !== 'healthy')
  const well = infrastructure.length - ill.length
  const parts = ill.flatMap(({ service, status, detail }): Span[] => [
    span(`● ${service} ${status}${detail ? `, ${detail}` : ''}`, status === 'degraded' ? 'warn' : 'bad'),
    span('  '),
  ])
  const rest = ill.length === 0 ? `all ${well} services are well` : `${well} services are well`
  if (infrastructure.length === 0) return emptyRow
  return cutRow([...parts, span(`● ${rest}`, 'good')], width)
}
