import { mayRunNamed } from '../operations/catalogue.ts'
import type { Piece } from '../operations/show.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { commandLine } from './command-line.ts'
import { askComment, draftAbout, sayKept } from './drafting.ts'
import { nextToReview, openReview } from './review.ts'
import { reviewDrafts } from './review-drafts.ts'
import { reviewBindings } from './review-keys.ts'
import { type ReviewTab, reviewBody, reviewHead, reviewTabs, successorOf } from './review-rows.ts'
import { type AskVerdict, askEdit, askEscalate, askForward } from './review-verdicts.ts'
import { type Binding, type OpenScreen, tabAfter, tabRow } from './screen.ts'
import { type Scroll, scrolled, scrollRows } from './scroll.ts'

/** One approval with everything that a verdict needs; after the verdict the next one opens. */
export const reviewScreen =
  (approvalId: string): OpenScreen =>
  (shell) => {
    /** Approvals that were decided or skipped: they are not opened again automatically. */
    const passed = new Set<string>()
    let tab: ReviewTab = 'text'
    let scroll: Scroll = { top: 0 }
    /** True from a key that decides until its request ends: a second key must not decide again. */
    let deciding = false
    let body: { key: string; of: unknown; lines: StyledLine[] } | undefined
    const start = (id: string) =>
      openReview(shell, id, () => {
        // After the user's own verdict a change is not reported.
        if (!deciding && !passed.has(id)) shell.say('The text has changed: this is the new one', 'warn')
      })
    let review = start(approvalId)
    const drafts = reviewDrafts(shell)
    // When they cannot be read yet, they are read again when something is written.
    void shell.drafts.load().catch(() => undefined)
    /** What was drawn last: only what the user has seen can be decided. */
    let drawn: string | undefined

    const goTo = (id: string) => {
      review.close()
      review = start(id)
      tab = 'text'
      scroll = { top: 0 }
      shell.changed()
    }
    const next = async () => {
      passed.add(review.id)
      const id = await nextToReview(shell, passed)
      if (id !== undefined) goTo(id)
      return id !== undefined
    }
    const decide = (ask: AskVerdict, done: string) => async () => {
      const { piece } = review
      const approval = piece?.approval
      if (deciding) return
      if (!piece || !approval || drawn !== shownOf(piece)) return shell.say('It is still loading', 'dim')
      const successor = successorOf(piece)
      if (successor !== undefined) {
        shell.say('A newer version is pending: this is it', 'warn')
        return goTo(successor)
      }
      if (approval.status !== 'pending') return shell.say(`It is already ${approval.status}`, 'warn')
      deciding = true
      try {
        const wanted = await ask(shell, { ...piece, approval, showDraft: () => open('draft') })
        if (!wanted) return
        const told = `✔ ${wanted.done ?? done}: ${approval.title}`
        const given = await shell.run(wanted.line, { asked: true, tell: () => told })
        const why = shell.message?.text
        const stays = ask === askEscalate || ask === askForward
        // The message has been shown, so the next key is meant for the same approval: it must not wait for the draft's file.
        if (given && stays) return wanted.kept?.sent()
        if (given) await wanted.kept?.sent()
        if (given) {
          if (!(await next())) shell.say(`${told}. Nothing else is pending.`, 'good')
        } else {
          const hasChanged = await presentContent(piece)
          if (wanted.kept) sayKept(shell, wanted.kept.again, hasChanged ? shell.message?.text : why)
          // A draft of the text is shown compared with the changed text.
          if (ask === askEdit) open('draft')
        }
      } finally {
        deciding = false
      }
    }
    /**
     * Loads the current state, and the approval that has superseded this one, if any.
     * @returns whether the text has changed, which has been reported
     */
    const presentContent = async ({ text }: Piece): Promise<boolean> => {
      await review.load()
      const { piece } = review
      const successor = successorOf(piece)
      if (successor === undefined && piece?.text?.contentHash === text?.contentHash) return false
      shell.say(
        'The text has changed since you saw it, so nothing was decided. This is the current version.',
        'warn',
      )
      if (successor !== undefined) goTo(successor)
      return true
    }
    const open = (wanted: ReviewTab) => {
      tab = wanted
      scroll = { top: 0 }
      if (tab === 'log') void review.loadLog()
      shell.changed()
    }
    const show = (wanted: ReviewTab) => open(tab === wanted ? 'text' : wanted)
    const comment = async () => {
      const { piece } = review
      if (!piece?.activity) return shell.say('There is no activity to comment on', 'dim')
      await askComment(shell, draftAbout(piece, 'comment'), 'c')
    }
    const bindings = reviewBindings({
      decide,
      show,
      comment,
      async next() {
        if (!(await next())) shell.say('Nothing else is pending', 'dim')
      },
      openWork() {
        const id = review.piece?.activity?.id
        if (id !== undefined) shell.openWork('activity', id)
      },
      command: () => commandLine(shell),
    })
    const discard: Binding = {
      key: 'D',
      label: 'discard draft',
      quiet: true,
      help: 'discard what you wrote about it; asks first',
      run: () => drafts.discard(review.piece),
    }
    const tabs = () =>
      reviewTabs({ hasDraft: drafts.of(review.piece).length > 0, hasLog: mayRunNamed(shell.context, 'log') })
    const linesFor = (width: number): StyledLine[] => {
      const { piece } = review
      // The last draft about the approval was sent or discarded.
      if (tab === 'draft' && piece && !tabs().includes(tab)) tab = 'text'
      const of = tab === 'log' ? review.log : tab === 'draft' ? drafts.stamp(piece) : piece
      const key = `${tab} ${width}`
      if (body?.key === key && body.of === of) return body.lines
      const renderOptions = shell.renderOptions(width)
      if (tab !== 'draft') body = { key, of, lines: reviewBody(review, tab, renderOptions) }
      else body = { key, of, lines: piece ? drafts.rows(piece, renderOptions) : [] }
      return body.lines
    }
    const headFor = (width: number, height: number) => [
      ...reviewHead(review, {
        width,
        most: Math.max(1, Math.floor(height / 2)),
        now: shell.now(),
        hint: drafts.hint(review.piece),
      }),
      tabRow(tabs(), tab, { comments: review.piece?.activity?.commentsTotal ?? 0 }),
    ]
    return {
      name: 'a review',
      title: () => row(span(review.piece?.approval?.title ?? 'review', 'strong')),
      rows({ width, height }) {
        drawn = shownOf(review.piece)
        const head = headFor(width, height)
        return [...head, ...scrollRows(scroll, linesFor(width), { width, height: height - head.length })]
      },
      bindings: () => (drafts.of(review.piece).length > 0 ? [...bindings, discard] : bindings),
      subjects: () => [
        { kind: 'approval', id: review.id, title: review.piece?.approval?.title ?? '' },
        ...(review.piece?.activity
          ? [{ kind: 'activity' as const, id: review.piece.activity.id, title: review.piece.activity.title }]
          : []),
      ],
      onKey(key, { width, height }) {
        const other = tabAfter(tabs(), tab, key)
        if (other) {
          show(other)
          return true
        }
        const room = height - headFor(width, height).length
        const moved = scrolled(scroll, key, linesFor(width).length, room)
        scroll = moved ?? scroll
        return moved !== undefined
      },
      refresh: () => void review.load(),
      close: () => review.close(),
    }
  }

/** What a verdict would apply to. */
const shownOf = (piece: Piece | undefined) =>
  piece && `${piece.approval?.id} ${piece.text?.contentHash ?? ''}`
