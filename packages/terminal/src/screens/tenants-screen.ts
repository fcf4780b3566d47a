import { type Tenant, tenantColumns } from '../operations/tenants.ts'
import { row, span } from '../render/row.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import type { OpenScreen } from './screen.ts'

/** Page size; the next page is loaded near the end of the list. */
const page = 100

/** The user's tenants: searched by name, and selected to filter all screens. */
export const tenantsScreen: OpenScreen = (shell) => {
  let list: List<Tenant> = listOf<Tenant>([])
  let search = ''
  let cursor: string | undefined
  let loaded = false
  let asked = 0
  let loading = false
  const stop = new AbortController()

  /** @param from the cursor at which the list continues; absent: reload */
  const load = (from?: string) => {
    loading = true
    const own = (asked += 1)
    void shell
      .attempt(async () => {
        const query = { limit: page, ...(search && { search }), ...(from !== undefined && { cursor: from }) }
        const found = await shell.client.call('cli', 'GET /tenants', { query, signal: stop.signal })
        // The user has typed on: the response to the newer request counts.
        if (own !== asked) return
        list = replaced(list, from === undefined ? found.data : [...list.items, ...found.data])
        cursor = found.pagination.nextCursor ?? undefined
        loaded = true
      })
      .finally(() => {
        if (own === asked) loading = false
        shell.changed()
      })
  }
  const refresh = () => load()
  const narrow = () => {
    const tenant = current(list)
    if (!tenant) return
    if (tenant.id === shell.tenantId) shell.narrow()
    else shell.narrow(tenant)
  }

  refresh()
  followEvents(shell, stop.signal, refresh)
  return {
    name: 'tenants',
    title: () =>
      row(
        span('tenants', 'strong'),
        search ? span(`  with "${search}"`, 'accent') : '',
        loaded ? mostShown(list, cursor) : '',
      ),
    rows: ({ width, height }) =>
      listRows(list, [chosenColumn(shell.tenantId), ...tenantColumns.slice(1)], {
        width,
        height,
        empty: loaded ? 'No tenants.' : 'Loading …',
        hasMore: cursor !== undefined,
      }),
    bindings: () => [
      {
        key: 'enter',
        label: 'only this one',
        help: 'filter every screen by the tenant, or show all again',
        run: narrow,
      },
      ...(shell.tenantId === undefined
        ? []
        : [{ key: 'a', label: 'all tenants', run: () => shell.narrow() }]),
      {
        key: '/',
        label: 'search',
        help: 'words of the name or the domain; empty shows all again',
        run: async () => {
          const text = await shell.ask('Which tenants?', { text: search })
          if (text === undefined) return
          search = text.trim()
          list = listOf<Tenant>([])
          refresh()
        },
      },
    ],
    onKey(key, { height }) {
      list = moved(list, key, height) ?? list
      if (cursor !== undefined && !loading && list.at > list.items.length - page / 2) load(cursor)
      return current(list) !== undefined
    },
    refresh,
    close: () => stop.abort(),
  }
}

function mostShown({ items }: List<Tenant>, cursor: string | undefined) {
  return span(`  ${items.length}${cursor === undefined ? '' : ' and more'}`, 'dim')
}

/** The tenant filter of all screens. */
function chosenColumn(tenantId: string | undefined) {
  return {
    title: '',
    cell: ({ id }: Tenant) => (id === tenantId ? 'only' : ''),
    tone: () => 'warn' as const,
  }
}
