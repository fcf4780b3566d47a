import type { DraftSubject } from '../account/drafts.ts'
import { mayRunNamed } from '../operations/catalogue.ts'
import { type LogItem, logRows } from '../operations/log.ts'
import { type Activity, withEarlierComments } from '../operations/show.ts'
import { markdownRows } from '../render/markdown.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { type ActivityTab, activityHead, activityTabs, runRows, subtaskRows } from './activity-rows.ts'
import { commandLine } from './command-line.ts'
import { askComment, askKept, discarded, draftHint, runKept } from './drafting.ts'
import { liveText } from './live-text.ts'
import { commentRows } from './review-rows.ts'
import { type Binding, type OpenScreen, tabAfter, tabRow } from './screen.ts'
import { type Scroll, scrolled, scrollRows } from './scroll.ts'

/** How often the status of the activity is polled, milliseconds; its text is streamed. */
const lookMs = 3_000

/** One activity: its text as it is written, its events, its runs and their cost. */
export const activityScreen =
  (id: string): OpenScreen =>
  (shell) => {
    const params = { id }
    const tabs = activityTabs.filter((each) => each !== 'log' || mayRunNamed(shell.context, 'log'))
    const live = liveText(shell, id)
    let activity: Activity | undefined
    let log: readonly LogItem[] | undefined
    let tab: ActivityTab = 'output'
    let scroll: Scroll = { top: 0 }
    /** Whether the view scrolls to the end of the output. */
    let following = true
    let closed = false
    let callOff: () => void = () => undefined

    const load = () =>
      shell.attempt(async () => {
        const before = activity?.status
        const found = await shell.client.call('cli', 'GET /activities/:id', { params })
        activity = tab === 'comments' ? await withEarlierComments(shell.client, found) : found
        // The text stream ends when the text is delivered; a new run writes a new text.
        if (before !== activity.status && activity.status === 'in_progress') live.follow()
        if (tab === 'log')
          log = (await shell.client.call('cli', 'GET /activities/:id/log', { params, query: { limit: 100 } }))
            .data
        shell.changed()
      })
    const watch = () => {
      if (!closed) callOff = shell.after(lookMs, () => void load().then(watch))
    }
    const steer = (name: string, more: object = {}, asked = false) =>
      shell.run(
        { name, input: { ...(name === 'pause' || name === 'resume' ? { target: id } : { id }), ...more } },
        { asked },
      )
    const show = (wanted: ActivityTab) => {
      tab = tab === wanted ? 'output' : wanted
      scroll = { top: 0 }
      if (tab === 'log' || tab === 'comments') void load()
    }
    const about = (kind: 'reason' | 'comment'): DraftSubject => ({
      kind,
      activityId: id,
      title: activity?.title ?? id,
      tenantName: activity?.tenantName ?? '',
    })
    const drafts = () =>
      (['comment', 'reason'] as const).flatMap((kind) => shell.drafts.find(about(kind)) ?? [])
    const cancel = async () => {
      const question = 'Why is it cancelled for good? People read it.'
      const kept = await askKept(shell, about('reason'), question, { needed: true, again: 'X' })
      if (kept) await runKept(shell, { line: { name: 'cancel', input: { id, reason: kept.text } }, kept })
    }
    const comment = () => askComment(shell, about('comment'), 'm')
    const openQuestion = () => {
      if (activity?.approval) shell.openWork('approval', activity.approval.id)
      else shell.say('It has no approval', 'dim')
    }
    const discard: Binding = {
      key: 'D',
      label: 'discard draft',
      quiet: true,
      help: 'discard what you wrote and did not send; asks first',
      run: async () => {
        for (const draft of drafts()) await discarded(shell, draft)
      },
    }
    const bindings: readonly Binding[] = [
      {
        key: 'p',
        needs: 'pause',
        label: 'pause',
        help: 'pause it; the current run finishes first',
        run: async () => void (await steer('pause')),
      },
      {
        key: 'u',
        needs: 'resume',
        label: 'resume',
        help: 'resume it',
        run: async () => void (await steer('resume')),
      },
      {
        key: 't',
        needs: 'retry',
        label: 'retry',
        help: 'retry it with a new run',
        run: async () => void (await steer('retry')),
      },
      { key: 'X', needs: 'cancel', label: 'cancel', help: 'cancel it for good', run: cancel },
      { key: 'm', needs: 'comment', label: 'comment', run: comment },
      {
        key: 'F',
        label: 'follow',
        help: 'keep scrolling to the end of the output, or stop',
        run: () => void (following = !following),
      },
      { key: 'o', label: 'question', quiet: true, help: 'open its approval', run: openQuestion },
      {
        key: 'l',
        needs: 'log',
        label: 'log',
        quiet: true,
        help: 'its events',
        run: () => show('log'),
      },
      { key: '/', label: 'command', quiet: true, run: () => commandLine(shell) },
    ]
    /** Complete output, rendered as Markdown; cached, since it is long. */
    let finished: { of: string; width: number; lines: StyledLine[] } | undefined
    const outputRows = (width: number): readonly StyledLine[] => {
      if (live.open || live.text === '') return live.rows(width)
      if (finished?.of !== live.text || finished.width !== width)
        finished = { of: live.text, width, lines: markdownRows(live.text, width) }
      return finished.lines
    }
    const linesFor = (width: number): readonly StyledLine[] => {
      if (!activity) return []
      switch (tab) {
        case 'output': {
          const lines = outputRows(width)
          return lines.length > 0 ? lines : [row(span('There is no output yet.', 'dim'))]
        }
        case 'log':
          return (log ?? []).flatMap((item) => logRows(item, width))
        case 'runs':
          return runRows(activity, width)
        case 'subtasks':
          return subtaskRows(activity, width)
        case 'comments':
          return commentRows(activity, width, shell.now())
        case 'brief':
          return markdownRows(activity.inputPrompt, width)
      }
    }
    const headFor = (width: number, height: number) => [
      ...[
        ...activityHead(activity, width, shell.now()),
        ...draftHint(drafts(), { comment: 'm', reason: 'X' }),
      ].slice(0, Math.max(1, Math.floor(height / 2))),
      tabRow(tabs, tab, {
        runs: activity?.runs.length ?? 0,
        subtasks: activity?.subtasks.length ?? 0,
        comments: activity?.commentsTotal ?? 0,
      }),
    ]

    live.follow()
    void load().then(watch)
    return {
      name: 'an activity',
      title: () =>
        row(
          span(activity?.title ?? 'activity', 'strong'),
          span(live.open && following ? '  live' : '', 'good'),
        ),
      rows({ width, height }) {
        const head = headFor(width, height)
        const room = height - head.length
        const lines = linesFor(width)
        if (tab === 'output' && following) scroll = { top: Math.max(0, lines.length - room) }
        return [...head, ...scrollRows(scroll, lines, { width, height: room })]
      },
      bindings: () => (drafts().length > 0 ? [...bindings, discard] : bindings),
      subjects: () => [{ kind: 'activity', id, title: activity?.title ?? '' }],
      onKey(key, { width, height }) {
        const other = tabAfter(tabs, tab, key)
        if (other) {
          show(other)
          return true
        }
        const lines = linesFor(width)
        const room = height - headFor(width, height).length
        const moved = scrolled(scroll, key, lines.length, room)
        if (!moved) return false
        scroll = moved
        if (tab === 'output') following = moved.top >= lines.length - room
        return true
      },
      refresh: () => void load(),
      close() {
        closed = true
        callOff()
        live.close()
      },
    }
  }
