import { type AdLimit, limitLine } from '../operations/ad-limits.ts'
import {
  type ChangeSet,
  changeSetColumns,
  changeSetLines,
  type OutsideChange,
  outsideLines,
} from '../operations/change-set-rows.ts'
import { flow, flowText } from '../render/flow.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import { commandOf } from './requests.ts'
import type { Binding, OpenScreen } from './screen.ts'
import { resultScreen, scrollingScreen } from './scroll.ts'
import type { Shell } from './shell.ts'

/** The latest that are listed. */
const listed = 100

/** The change sets of a paid campaign, the latest first. */
export const changesScreen =
  (campaignId: string, campaignName: string): OpenScreen =>
  (shell) => {
    let list: List<ChangeSet> = listOf<ChangeSet>([])
    let limits: readonly AdLimit[] = []
    let outside: readonly OutsideChange[] = []
    let loaded = false
    const stop = new AbortController()
    const refresh = () =>
      void shell.attempt(async () => {
        const found = await shell.client.call('tenant', 'GET /campaigns/:campaignId/change-sets', {
          params: { campaignId },
          query: { limit: listed },
          signal: stop.signal,
        })
        list = replaced(list, found.data)
        outside = found.outside
        const query = { campaignId }
        limits = (await shell.client.call('tenant', 'GET /ads/limits', { query, signal: stop.signal })).data
        loaded = true
        shell.changed()
      })
    /** What may be spent stands above what is to be spent, and beside it the latest that was changed elsewhere. */
    const headFor = (width: number, height: number): StyledLine[] =>
      [...limits.map(limitLine), ...outsideLines(outside.slice(0, 1))]
        .flatMap((line) => flow(line, width))
        .slice(0, Math.floor(height / 3))
    refresh()
    followEvents(shell, stop.signal, refresh)
    return {
      name: 'changes of ads',
      title: () =>
        row(
          span('changes of ads', 'strong'),
          span(`  ${campaignName}`, 'dim'),
          loaded ? span(`  ${counted(list.items.length, 'change set')}`, 'dim') : '',
          outside.length > 0 ? span(`  ${outside.length} made outside`, 'warn') : '',
        ),
      rows({ width, height }) {
        const head = headFor(width, height)
        const empty = loaded ? 'Nothing was changed yet. Plan a change with /ads plan.' : 'Loading …'
        const rest = { width, height: height - head.length, empty }
        return [...head, ...listRows(list, changeSetColumns, rest)]
      },
      bindings: () => [
        {
          key: 'enter',
          label: 'open',
          help: 'each change with before and after, and what followed',
          run: () => {
            const set = current(list)
            if (set) shell.open(changeSetScreen(set, () => limits, refresh))
          },
        },
        {
          key: 'o',
          label: 'outside',
          help: 'what others have changed at the platform lately, with who and when',
          run: () => {
            if (outside.length === 0) return shell.say('Nothing was changed outside lately', 'dim')
            const lines = outsideLines(outside)
            shell.open(resultScreen('made outside', (width) => lines.flatMap((line) => flow(line, width))))
          },
        },
      ],
      onKey(key, { width, height }) {
        list = moved(list, key, height - headFor(width, height).length) ?? list
        return current(list) !== undefined
      },
      refresh,
      close: () => stop.abort(),
    }
  }

/**
 * One change set with before and after of each change, below what its account may spend.
 * @param limits of the accounts of its campaign
 * @param changed called after an action on it
 */
function changeSetScreen(
  given: ChangeSet,
  limits: () => readonly AdLimit[],
  changed: () => void,
): OpenScreen {
  return (shell) => {
    let set = given
    const stop = new AbortController()
    const params = { campaignId: given.campaignId, changeSetId: given.id }
    const refresh = () =>
      void shell.attempt(async () => {
        const route = 'GET /campaigns/:campaignId/change-sets/:changeSetId'
        set = await shell.client.call('tenant', route, { params, signal: stop.signal })
        shell.changed()
      })
    followEvents(shell, stop.signal, refresh)
    const limitLines = (width: number) =>
      limits()
        .filter(({ accountId }) => accountId === set.accountId)
        .flatMap((limit) => flow(limitLine(limit), width))
    return scrollingScreen((width) => [...limitLines(width), ...wholeLines(set, width)], {
      name: 'a change set',
      title: () => row(span(set.title, 'strong'), span(`  ${set.status}`, 'dim')),
      bindings: () => [
        approveBinding(
          shell,
          () => set,
          () => {
            refresh()
            changed()
          },
        ),
        {
          key: 'u',
          label: 'undo',
          help: 'plan the way back; what was changed elsewhere since is left as it is',
          needs: 'ads undo',
          run: async () => {
            const input = { campaign: given.campaignId, set: given.id }
            if (await shell.run({ name: 'ads undo', input })) changed()
          },
        },
      ],
      refresh,
      close: () => stop.abort(),
    })
  }
}

/** Nothing of what is approved is cut off at the edge of a narrow screen. */
const wholeLines = (set: ChangeSet, width: number): StyledLine[] =>
  changeSetLines(set).flatMap((line) => flow(line, width))

/** Approves a change set by the digest of what is on the screen, after a confirmation that shows it once more. */
function approveBinding(shell: Shell, shown: () => ChangeSet, done: () => void): Binding {
  return {
    key: 'a',
    label: 'approve',
    help: 'approve exactly these changes; they are applied at the platform at once',
    needs: 'ads approve',
    run: async () => {
      const set = shown()
      const { id: changeSetId, campaignId, digest, status, title, items } = set
      if (status !== 'planned') return shell.say(`This change set is ${status}`, 'warn')
      const input = { params: { campaignId, changeSetId }, body: { digest } }
      const route = 'POST /campaigns/:campaignId/change-sets/:changeSetId/approve'
      const command = commandOf('tenant', route, input)
      const preview = (width: number) => [
        ...wholeLines(set, width),
        ...flowText(command, width, undefined, 'dim'),
      ]
      const planned = items.filter(({ state }) => state === 'planned').length
      const question = `Make ${counted(planned, 'change')} of “${title}” at the platform?`
      if (!(await shell.confirm(question, preview))) return
      await shell.attempt(async () => {
        await shell.client.call('tenant', route, input)
        shell.say(`✔ “${title}” is approved`, 'good')
        done()
      })
    },
  }
}
