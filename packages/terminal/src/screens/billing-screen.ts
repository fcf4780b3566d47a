import { ApiError } from '@copydesk/client'
import { type Fact, factRows } from '../render/facts.ts'
import { measured } from '../render/flow.ts'
import { cutRow, emptyRow, row, type StyledLine, span } from '../render/row.ts'
import {
  eventColumns,
  invoiceColumns,
  isOverdue,
  type ListedEvent,
  type ListedInvoice,
} from './billing-columns.ts'
import { invoiceScreen, payBinding } from './invoice-screen.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import { type OpenScreen, tabAfter, tabRow } from './screen.ts'
import { resultScreen } from './scroll.ts'
import type { Shell } from './shell.ts'

const tabs = ['open', 'all', 'events'] as const
type Tab = (typeof tabs)[number]

/** Rows that are loaded at once. */
const page = 100

interface Loaded {
  invoices: List<ListedInvoice>
  events: List<ListedEvent>
  /** The sums of what the filter finds, by currency. */
  sums: readonly string[]
  hasMore: boolean
}

const nothing: Loaded = { invoices: listOf([]), events: listOf([]), sums: [], hasMore: false }

/** Invoices of all tenants with what is overdue, and what the payment provider has told. For super-admins. */
export const billingScreen: OpenScreen = (shell) => {
  let tab: Tab = 'open'
  let found: Loaded | undefined
  let failure: 'forbidden' | 'other' | undefined
  const stop = new AbortController()

  const refresh = () => {
    const asked = tab
    let isForbidden = false
    void shell
      .attempt(() =>
        load(shell, asked, stop.signal).catch((error: unknown) => {
          isForbidden = error instanceof ApiError && error.status === 403
          throw error
        }),
      )
      .then((loaded) => {
        // The user has switched to another tab.
        if (asked !== tab) return
        failure = loaded ? undefined : isForbidden ? 'forbidden' : 'other'
        if (loaded) {
          const { invoices, events } = found ?? nothing
          found = {
            ...loaded,
            invoices: replaced(invoices, loaded.invoices.items),
            events: replaced(events, loaded.events.items),
          }
        }
        shell.changed()
      })
  }
  const turn = (key: 'tab' | 'shift+tab') => {
    tab = tabAfter(tabs, tab, key) ?? tab
    found = undefined
    failure = undefined
    refresh()
    shell.changed()
  }
  const invoice = () => (tab === 'events' ? undefined : current((found ?? nothing).invoices))
  const open = () => {
    const event = tab === 'events' ? current((found ?? nothing).events) : undefined
    const chosen = invoice()
    if (chosen) shell.open(invoiceScreen(chosen))
    else if (event) shell.open(resultScreen('an event', (width) => eventRows(event, width)))
  }
  const lowerRows = (): StyledLine[] =>
    found && found.sums.length > 0 ? [emptyRow, row(span(found.sums.join(' · '), 'dim'))] : []

  refresh()
  followEvents(shell, stop.signal, refresh)
  return {
    name: 'billing',
    title() {
      const late = (found ?? nothing).invoices.items.filter((each) => isOverdue(each, shell.now())).length
      return row(span('billing', 'strong'), span(late > 0 ? `  ${late} overdue` : '', 'bad'))
    },
    rows({ width, height }) {
      const head = [cutRow(tabRow(tabs, tab), width), emptyRow]
      const lower = lowerRows().map((line) => cutRow(line, width))
      const { invoices, events, hasMore } = found ?? nothing
      const size = {
        width,
        height: height - head.length - lower.length,
        hasMore,
        empty: emptyText(found, failure),
      }
      const columns = invoiceColumns(shell.now(), { isOfOne: shell.tenantId !== undefined })
      const list = tab === 'events' ? listRows(events, eventColumns, size) : listRows(invoices, columns, size)
      return [...head, ...list, ...lower]
    },
    bindings: () => [
      {
        key: 'enter',
        label: 'open',
        help: 'the lines of the invoice, or what became of the event',
        run: open,
      },
      ...(tab === 'events' ? [] : [payBinding(shell, invoice, refresh)]),
      {
        key: 'tab',
        label: 'next',
        help: 'open invoices, all invoices, events of the payment provider',
        run: () => turn('tab'),
      },
      {
        key: 'shift+tab',
        label: 'next',
        help: 'the same, in reverse order',
        quiet: true,
        run: () => turn('shift+tab'),
      },
    ],
    onKey(key, { height }) {
      if (!found) return false
      const room = height - 2 - lowerRows().length
      if (tab === 'events') found = { ...found, events: moved(found.events, key, room) ?? found.events }
      else found = { ...found, invoices: moved(found.invoices, key, room) ?? found.invoices }
      return true
    },
    refresh,
    close: () => stop.abort(),
  }
}

async function load({ client, tenantId }: Shell, tab: Tab, signal: AbortSignal): Promise<Loaded> {
  if (tab === 'events') {
    const query = { limit: page, ...(tenantId !== undefined && { tenantId }) }
    const { data, pagination } = await client.call('cli', 'GET /billing/events', { query, signal })
    return { ...nothing, events: listOf(data), hasMore: pagination.nextCursor !== null }
  }
  const statuses = tab === 'all' ? [undefined] : (['pending', 'failed'] as const)
  const replies = await Promise.all(
    statuses.map((status) => {
      const query = {
        limit: page,
        ...(status && { 'filter.status': status }),
        ...(tenantId !== undefined && { 'filter.tenantId': tenantId }),
      }
      return client.call('cli', 'GET /invoices', { query, signal })
    }),
  )
  const invoices = replies.flatMap(({ data }) => data)
  return {
    ...nothing,
    // What is due first comes first among those that wait.
    invoices: listOf(
      tab === 'all' ? invoices : invoices.toSorted((a, b) => a.dueDate.localeCompare(b.dueDate)),
    ),
    sums: replies.flatMap(({ totals }, i) =>
      totals.totalsByCurrency.map(({ totalFormatted }) => `${statuses[i] ?? 'total'} ${totalFormatted}`),
    ),
    hasMore: replies.some(({ pagination }) => pagination.nextCursor !== null),
  }
}

function emptyText(found: Loaded | undefined, failure: 'forbidden' | 'other' | undefined): string {
  if (found) return 'Nothing here.'
  if (failure === 'forbidden') return 'Billing is for super-admins.'
  return failure ? 'It could not be loaded. R tries again.' : 'Loading …'
}

function eventRows(event: ListedEvent, width: number): StyledLine[] {
  const { id, eventType, tenantName, provider, eventId, status, reason, occurredAt, receivedAt } = event
  const facts: Fact[] = [
    ['event', eventType],
    ['tenant', tenantName ?? 'not known'],
    ['provider', `${provider}, ${eventId}`],
    ['status', status],
    ...(reason === null ? [] : [['reason', reason] as const]),
    ['happened', occurredAt],
    ['received', receivedAt],
    ['again', `copydesk billing replay ${id}`],
  ]
  return factRows(facts, measured(width))
}
