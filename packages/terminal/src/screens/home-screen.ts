import { campaignShow } from '../operations/campaigns.ts'
import { type FeedItem, feedColumns } from '../operations/feed.ts'
import { type Status, statusColumns } from '../operations/status.ts'
import {
  type Column,
  columnsFitting,
  cutRow,
  emptyRow,
  row,
  type StyledLine,
  span,
  type TextSpan,
} from '../render/row.ts'
import { spokenTable } from '../render/spoken.ts'
import { counted, usd } from '../render/words.ts'
import { campaignScreen } from './campaign-screen.ts'
import { campaignsScreen } from './campaigns-screen.ts'
import { signed } from './drafting.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import { newCampaignBinding } from './new-campaign.ts'
import type { OpenScreen, Size } from './screen.ts'
import { resultScreen } from './scroll.ts'
import type { Shell } from './shell.ts'
import { tenantsScreen } from './tenants-screen.ts'

/** Page size of the feed: large enough to see what comes next. */
const most = 100
/** Minimum width for charts of two weeks. */
const wide = 90
/** Durations for which an item can be snoozed, as the operation takes them. */
const whiles = ['1h', '4h', '1d', '7d']

/** The feed, the status of every tenant, and the health of the installation. */
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
        help: 'open the item',
        run: () => {
          const item = current(list)
          if (!item) return
          const { kind, id } = item.subject
          if (kind === 'approval' || kind === 'activity') shell.openWork(kind, id)
          else if (!shell.context.tenant && kind === 'campaign') void showCampaign(shell, id)
          else if (!shell.context.tenant) shell.open(tenantsScreen)
          else shell.open(kind === 'campaign' ? campaignScreen(id) : campaignsScreen)
        },
      },
      newCampaignBinding(shell),
      {
        key: 'd',
        label: 'dismiss',
        help: 'hide it until something new happens',
        run: () => aside('dismiss'),
      },
      {
        key: 's',
        label: 'snooze',
        help: 'hide it for a while',
        run: async () => {
          if (!current(list)) return
          const until = await shell.choose('Snooze it for how long?', whiles)
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

/** A campaign as its reviewers see it, with the commands that decide on it. */
async function showCampaign(shell: Shell, id: string): Promise<void> {
  const line = { name: campaignShow.name, input: { id } }
  const done = await shell.run(line, { quiet: true })
  if (!done) return
  const shown = done.result as Awaited<ReturnType<typeof campaignShow.run>>
  shell.open(resultScreen(shown.name, (width) => campaignShow.print(shown, shell.renderOptions(width))))
}

function totalsRow({ totals, tenants }: Status): StyledLine {
  const high = tenants.reduce((sum, { highRiskApprovals }) => sum + highRiskApprovals, 0)
  const parts: TextSpan[] = [span(`${counted(totals.pendingApprovals, 'approval')} waiting`, 'strong')]
  if (high > 0) parts.push(span(` · ${high} high risk`, 'bad'))
  if (totals.blockedActivities > 0) parts.push(span(` · ${totals.blockedActivities} blocked`, 'bad'))
  return [...parts, span(` · ${totals.runningAgents} running · ${usd(totals.costMtd)} this month`, 'dim')]
}

/** Lines for the feed: what the tenants leave of the screen, and at least half of it. */
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

function homeRows({ list, status, loaded, hasMore, columns }: Shown, size: Size): StyledLine[] {
  const height = feedRoom(size, status)
  const empty = loaded ? 'Nothing needs you.' : 'Loading …'
  const lines = listRows(list, columns, { width: size.width, height, empty, hasMore })
  // Without items the feed leaves its lines to the tenants.
  const feed = list.items.length === 0 ? lines : filled(lines, height)
  if (!status) return feed
  const room = size.height - feed.length - 1
  return [...feed, ...tenantRows(status, size.width, room), wellRow(status, size.width)]
}

/** Without the ids: the user selects by position. The title is shortened before other columns are omitted. */
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

function filled(lines: readonly StyledLine[], height: number): StyledLine[] {
  return [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, () => emptyRow)]
}

/** As many tenants as there is room for, those with the most pending items first. */
function tenantRows({ tenants }: Status, width: number, room: number): StyledLine[] {
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

/** Services of the installation that are not healthy, with the reason; the others are counted. */
function wellRow({ infrastructure }: Status, width: number): StyledLine {
  const ill = infrastructure.filter(({ status }) => status !== 'healthy')
  const well = infrastructure.length - ill.length
  const parts = ill.flatMap(({ service, status, detail }): TextSpan[] => [
    span(`● ${service} ${status}${detail ? `, ${detail}` : ''}`, status === 'degraded' ? 'warn' : 'bad'),
    span('  '),
  ])
  const rest = ill.length === 0 ? `all ${well} services are healthy` : `${well} services are healthy`
  if (infrastructure.length === 0) return emptyRow
  return cutRow([...parts, span(`● ${rest}`, 'good')], width)
}
