import type { Draft } from '../account/drafts.ts'
import { plainRows } from '../operations/show-rows.ts'
import { flowText } from '../render/flow.ts'
import { type Column, emptyRow, row, span } from '../render/row.ts'
import { ageOf } from '../render/words.ts'
import { discarded, draftWords } from './drafting.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { startCampaign } from './new-campaign.ts'
import type { OpenScreen } from './screen.ts'
import { resultScreen } from './scroll.ts'
import type { Shell } from './shell.ts'

function columnsAt(now: number): ReadonlyArray<Column<Draft>> {
  return [
    { title: 'age', cell: ({ changedAt }) => ageOf(changedAt, now), align: 'right' },
    { title: 'of', cell: ({ kind }) => draftWords[kind], tone: () => 'accent' },
    { title: 'on', cell: ({ title }) => title, least: 8, enough: 24 },
    { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8, enough: 14, rank: 1 },
  ]
}

/** All drafts of the user at this server, the latest first. */
export const draftsScreen: OpenScreen = (shell) => {
  let list: List<Draft> = listOf(shell.drafts.all)
  const present = () => (list.items === shell.drafts.all ? list : (list = replaced(list, shell.drafts.all)))
  const refresh = () => void shell.attempt(() => shell.drafts.load())
  const open = (draft: Draft) => {
    if (draft.approvalId !== undefined) shell.openWork('approval', draft.approvalId)
    else if (draft.activityId !== undefined) shell.openWork('activity', draft.activityId)
    else if (draft.kind === 'brief') void shell.attempt(() => startCampaign(shell))
    else shell.say('It is about several approvals: mark them in the queue, and r continues it', 'dim')
  }
  refresh()
  return {
    name: 'drafts',
    title: () => row(span('drafts', 'strong'), span(`  ${present().items.length} not sent`, 'dim')),
    rows: ({ width, height }) =>
      listRows(present(), columnsAt(shell.now()), {
        width,
        height,
        empty: 'You have no drafts.',
      }),
    bindings: () => [
      {
        key: 'enter',
        label: 'read',
        help: 'the whole draft, and its file',
        run: async () => {
          const draft = current(present())
          if (draft) shell.open(await draftScreen(shell, draft))
        },
      },
      {
        key: 'o',
        label: 'open',
        help: 'open its subject, to continue it there',
        run: () => {
          const draft = current(present())
          if (draft) open(draft)
        },
      },
      {
        key: 'D',
        label: 'discard',
        help: 'discard it; asks first',
        run: async () => {
          const draft = current(present())
          if (draft) await discarded(shell, draft)
        },
      },
    ],
    onKey(key, { height }) {
      list = moved(present(), key, height) ?? list
      return current(list) !== undefined
    },
    refresh,
    close: () => undefined,
  }
}

async function draftScreen(shell: Shell, draft: Draft): Promise<OpenScreen> {
  const text = await shell.drafts.read(draft)
  return resultScreen(`a draft of ${draftWords[draft.kind]}`, (width) => [
    ...flowText(`${draft.title}${draft.tenantName && ` · ${draft.tenantName}`}`, width, undefined, 'strong'),
    ...flowText(draft.file, width, undefined, 'dim'),
    emptyRow,
    ...plainRows(text, width),
  ])
}
