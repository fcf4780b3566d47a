import { type CampaignItem, campaignColumns } from '../operations/campaigns.ts'
import { row, span } from '../paper/row.ts'
import { counted } from '../paper/words.ts'
import { campaignScreen } from './campaign-screen.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import { newCampaignBinding } from './new-campaign.ts'
import type { OpenScreen } from './screen.ts'

/** How many are asked for at once; the next ones are fetched when the end comes near. */
const page = 100

/** The campaigns of the tenant, the newest first, with how far each is. */
export const campaignsScreen: OpenScreen = (shell) => {
  let list: List<CampaignItem> = listOf<CampaignItem>([])
  let cursor: string | undefined
  let loaded = false
  let loading = false
  const stop = new AbortController()

  /** @param from where the list goes on; absent: anew */
  const load = (from?: string) => {
    if (loading) return
    loading = true
    void shell
      .attempt(async () => {
        const found = await shell.client.call('dashboard', 'GET /campaigns', {
          query: { limit: page, ...(from !== undefined && { cursor: from }) },
          signal: stop.signal,
        })
        list = replaced(list, from === undefined ? found.data : [...list.items, ...found.data])
        cursor = found.pagination.nextCursor ?? undefined
        loaded = true
      })
      .finally(() => {
        loading = false
        shell.changed()
      })
  }
  const refresh = () => load()
  refresh()
  followEvents(shell, stop.signal, refresh)
  return {
    name: 'campaigns',
    title: () =>
      row(
        span('campaigns', 'strong'),
        loaded
          ? span(
              `  ${counted(list.items.length, 'campaign')}${cursor === undefined ? '' : ' and more'}`,
              'dim',
            )
          : '',
      ),
    rows: ({ width, height }) =>
      listRows(list, campaignColumns.slice(1), {
        width,
        height,
        empty: loaded ? 'No campaign yet.' : 'Asking the server …',
        hasMore: cursor !== undefined,
      }),
    bindings: () => [
      {
        key: 'enter',
        label: 'open',
        help: 'how far it is, and its work',
        run: () => {
          const campaign = current(list)
          if (campaign) shell.open(campaignScreen(campaign.id))
        },
      },
      newCampaignBinding(shell),
    ],
    subjects: () => list.items.map(({ id, name }) => ({ kind: 'campaign', id, title: name })),
    onKey(key, { height }) {
      list = moved(list, key, height) ?? list
      if (cursor !== undefined && list.at > list.items.length - page / 2) load(cursor)
      return current(list) !== undefined
    },
    refresh,
    close: () => stop.abort(),
  }
}
