import { type Planned, plannedColumns } from '../operations/publication-calendar.ts'
import { addDays } from '../render/days.ts'
import { row, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { campaignScreen } from './campaign-screen.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import { mailingScreen } from './mailing-screen.ts'
import { publicationScreen } from './publication-screen.ts'
import type { OpenScreen } from './screen.ts'

/** Days that are shown at a time. */
const shownDays = 31

/** A request has an entry for each of its networks. */
type Listed = Planned & { id: string; own: string }

/** What goes out when on the tenant's channels and to its leads, and what is out, in the tenant's time zone. */
export const calendarScreen: OpenScreen = (shell) => {
  let list: List<Listed> = listOf<Listed>([])
  let timezone: string | undefined
  let isCut = false
  /** The first day; undefined for today, which the server knows. */
  let from: string | undefined
  const stop = new AbortController()
  const refresh = () =>
    void shell.attempt(async () => {
      const asked = from
      const query = asked === undefined ? {} : { from: asked, to: addDays(asked, shownDays - 1) }
      const found = await shell.client.call('dashboard', 'GET /calendar', { query, signal: stop.signal })
      // Another span was asked for meanwhile.
      if (asked !== from) return
      list = replaced(
        list,
        found.data.map((one) => ({ ...one, own: one.id, id: `${one.id} ${one.channelType}` })),
      )
      timezone = found.timezone
      isCut = found.nextFrom !== null
      shell.changed()
    })
  const turn = (days: number) => {
    const today = new Date(shell.now()).toISOString().slice(0, 10)
    from = addDays(from ?? today, days)
    list = listOf<Listed>([])
    timezone = undefined
    refresh()
  }
  refresh()
  followEvents(shell, stop.signal, refresh)
  return {
    name: 'the calendar',
    title: () =>
      row(
        span('calendar', 'strong'),
        span(
          `  ${from === undefined ? 'from today on' : `${from} to ${addDays(from, shownDays - 1)}`}`,
          'dim',
        ),
        timezone === undefined
          ? ''
          : span(
              `  ${counted(list.items.length, 'entry', 'entries')}${isCut ? ' and more' : ''}, times of ${timezone}`,
              'dim',
            ),
      ),
    rows: ({ width, height }) =>
      listRows(list, plannedColumns, {
        width,
        height,
        empty: timezone === undefined ? 'Loading …' : 'Nothing goes out in these days.',
        hasMore: isCut,
      }),
    bindings: () => [
      {
        key: 'enter',
        label: 'open',
        help: 'the publication or mailing and what became of it; the campaign of a sequence; of a request, what has to be decided',
        run: () => {
          const entry = current(list)
          if (!entry) return
          const { kind, own, approvalId, campaignId } = entry
          if (kind === 'publication') shell.open(publicationScreen(own, refresh))
          else if (kind === 'mailing') shell.open(mailingScreen(own, refresh))
          else if (campaignId !== undefined) shell.open(campaignScreen(campaignId))
          else if (approvalId !== undefined) shell.openWork('approval', approvalId)
          else
            shell.say(
              `This request is ${entry.status.replaceAll('_', ' ')}: nothing is to be decided yet`,
              'dim',
            )
        },
      },
      { key: 'n', label: 'next', help: 'the days after these', run: () => turn(shownDays) },
      { key: 'p', label: 'previous', help: 'the days before these', run: () => turn(-shownDays) },
    ],
    subjects: () =>
      list.items.flatMap(({ activityId, title }) =>
        activityId === undefined ? [] : [{ kind: 'activity' as const, id: activityId, title }],
      ),
    onKey(key, { height }) {
      list = moved(list, key, height) ?? list
      return current(list) !== undefined
    },
    refresh,
    close: () => stop.abort(),
  }
}
