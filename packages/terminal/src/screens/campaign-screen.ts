import {
  type Campaign,
  campaignFacts,
  campaignWorkColumns,
  deliverableRows,
} from '../operations/campaigns.ts'
import { mayRunNamed } from '../operations/catalogue.ts'
import { type OutsideChange, outsideLines } from '../operations/change-set-rows.ts'
import { flow } from '../render/flow.ts'
import { markdownRows } from '../render/markdown.ts'
import { emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { changesScreen } from './changes-screen.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import type { OpenScreen } from './screen.ts'
import { resultScreen } from './scroll.ts'

type Work = Campaign['recentActivities'][number]

/** One campaign: its progress, and its latest activities, each of which can be opened. */
export const campaignScreen =
  (campaignId: string): OpenScreen =>
  (shell) => {
    let campaign: Campaign | undefined
    let list: List<Work> = listOf<Work>([])
    let outside: readonly OutsideChange[] = []
    const stop = new AbortController()
    const refresh = () =>
      void shell.attempt(async () => {
        campaign = await shell.client.call('dashboard', 'GET /campaigns/:campaignId', {
          params: { campaignId },
          signal: stop.signal,
        })
        list = replaced(list, campaign.recentActivities)
        shell.changed()
        if (!mayRunNamed(shell.context, 'ads show')) return
        const route = 'GET /campaigns/:campaignId/change-sets'
        const ads = { params: { campaignId }, query: { limit: 1 }, signal: stop.signal }
        outside = (await shell.client.call('tenant', route, ads)).outside.slice(0, 1)
        if (outside.length > 0) shell.changed()
      })
    const headFor = (width: number, height: number): StyledLine[] =>
      campaign
        ? [
            ...campaignFacts(campaign),
            // The latest that others have changed at a platform of its ads.
            ...outsideLines(outside).flatMap((line) => flow(line, width)),
            emptyRow,
            ...deliverableRows(campaign, width),
            emptyRow,
          ].slice(0, Math.max(1, Math.floor((height * 2) / 3)))
        : []
    refresh()
    followEvents(shell, stop.signal, refresh)
    return {
      name: 'a campaign',
      title: () => row(span(campaign?.name ?? 'campaign', 'strong')),
      rows({ width, height }) {
        const head = headFor(width, height)
        const empty = campaign ? 'Its activities are not planned yet.' : 'Loading …'
        return [
          ...head,
          ...listRows(list, campaignWorkColumns.slice(1), { width, height: height - head.length, empty }),
        ]
      },
      bindings: () => [
        {
          key: 'enter',
          label: 'open',
          help: 'the activity: its text as it is written, its runs and cost',
          run: () => {
            const work = current(list)
            if (work) shell.openWork('activity', work.id)
          },
        },
        {
          key: 'o',
          label: 'question',
          help: 'open its approval',
          run: () => {
            const work = current(list)
            if (work?.approvalId !== undefined) shell.openWork('approval', work.approvalId)
            else shell.say('It has no approval', 'dim')
          },
        },
        {
          key: 'c',
          label: 'ads',
          help: 'the changes of its ads, each with before and after',
          needs: 'ads show',
          run: () => shell.open(changesScreen(campaignId, campaign?.name ?? '')),
        },
        {
          key: 'i',
          label: 'brief',
          run: () => {
            const brief = campaign?.brief
            if (brief !== undefined)
              shell.open(resultScreen('the brief', (width) => markdownRows(brief, width)))
          },
        },
      ],
      subjects: () => list.items.map(({ id, title }) => ({ kind: 'activity', id, title })),
      onKey(key, { width, height }) {
        list = moved(list, key, height - headFor(width, height).length) ?? list
        return current(list) !== undefined
      },
      refresh,
      close: () => stop.abort(),
    }
  }
