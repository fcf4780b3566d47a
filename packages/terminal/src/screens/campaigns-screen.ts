import { type CampaignItem, campaignColumns } from '../operations/campaigns.ts'
import { row, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { campaignScreen } from './campaign-screen.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import { newCampaignBinding } from './new-campaign.ts'
import type { OpenScreen } from './screen.ts'

/** Page size; the next page is loaded near the end of the list. */
const page = 100

/** The campaigns of the tenant with their progress, the newest first. */
export const campaignsScreen: OpenScreen = (shell) => {
  let list: List<CampaignItem> = listOf<CampaignItem>([])
  let cursor: string | undefined
  let loaded = false
  let loading = false
  const stop = new AbortController()

  /** @param from the cursor at which the list continues; absent: reload */
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
        empty: loaded ? 'No campaigns yet.' : 'Loading …',
        hasMore: cursor !== undefined,
      }),
    bindings: () => [
      {
        key: 'enter',
        label: 'open',
        help: 'its progress and activities',
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
