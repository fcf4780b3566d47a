import { type Draft, type DraftKind, type DraftSubject, mostDrafts, noRoom } from '../account/drafts.ts'
import type { Invocation } from '../operations/operation.ts'
import type { Piece } from '../operations/show.ts'
import { afterRejection } from '../operations/verdicts.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { ageOf } from '../render/words.ts'
import type { OverlayResult, PromptOptions } from './overlay.ts'
import { sentence } from './requests.ts'
import type { RunOptions } from './run-operation.ts'
import type { Shell } from './shell.ts'

/** Names of the kinds of drafts. */
export const draftWords: Readonly<Record<DraftKind, string>> = {
  text: 'the text',
  note: 'a note',
  comment: 'a comment',
  reason: 'a reason',
  message: 'a note to the client',
  brief: 'a brief',
}

/** An unsent text of the user, which is kept until it is sent. */
export interface Kept {
  text: string
  /** The key that continues it. */
  again: string
  /** It was sent: the draft is deleted. */
  sent(): Promise<void>
}

/**
 * The subject of a draft in a review: a comment is about the activity, everything else about the approval.
 */
export function draftAbout({ approval, activity }: Piece, kind: DraftKind): DraftSubject {
  return {
    kind,
    ...(approval && kind !== 'comment' && { approvalId: approval.id }),
    ...(activity && { activityId: activity.id }),
    title: approval?.title ?? activity?.title ?? '',
    tenantName: approval?.tenantName ?? activity?.tenantName ?? '',
  }
}

/** Whether another draft can be created, as far as known; shows a message when not. */
export function hasRoom({ drafts, say }: Shell, about: DraftSubject): boolean {
  if (drafts.all.length < mostDrafts || drafts.find(about)) return true
  say(noRoom, 'warn')
  return false
}

/**
 * Asks for text, beginning with an unsent draft. Each key is saved at once, so that the text survives a
 * mistake, a rejection or a crash.
 * @param again the key that asks for it again
 * @returns undefined when the user leaves it
 */
export async function askKept(
  shell: Shell,
  about: DraftSubject,
  question: string,
  { again, needed = false, turn }: { again: string } & Pick<PromptOptions, 'needed' | 'turn'>,
): Promise<Kept | undefined> {
  if (!hasRoom(shell, about)) return undefined
  const { drafts } = shell
  let draft = drafts.find(about)
  const earlier = draft?.words ?? ''
  const keeping = keeper(async (text) => {
    if (text.trim() === '') {
      if (draft) await drafts.remove(draft)
      draft = undefined
    } else if (draft) await drafts.write(draft, text)
    else draft = await drafts.begin(about, text)
  })
  const hint =
    earlier === ''
      ? ''
      : ` (You wrote this ${ageOf(draft?.changedAt ?? 0, shell.now())} ago; ^u empties the line.)`
  const text = await shell.ask(question + hint, {
    text: earlier,
    needed,
    changed: keeping.keep,
    ...(turn && { turn }),
  })
  const fault = await keeping.rest()
  if (fault !== undefined) shell.say(`Your draft could not be saved: ${sentence(fault)}`, 'bad')
  else if (text === undefined && draft) sayKept(shell, again)
  if (text === undefined) return undefined
  return {
    text,
    again,
    async sent() {
      if (draft) await drafts.remove(draft, text)
    },
  }
}

/**
 * Asks for the reason of a rejection, and its consequence: the activity is retried, or cancelled.
 * @param hasWork whether there is an activity to which it would return
 */
export async function askRejection(
  shell: Shell,
  about: DraftSubject,
  { question, hasWork }: { question: string; hasWork: boolean },
): Promise<{ kept: Kept; end: boolean } | undefined> {
  let end = false
  const turn: OverlayResult = {
    ways: [
      { next: afterRejection(false), tab: 'cancel the activity instead' },
      { next: afterRejection(true), tab: 'let the agent write another version' },
    ],
    turned: (at) => void (end = at === 1),
  }
  const kept = await askKept(shell, about, question, { needed: true, again: 'r', ...(hasWork && { turn }) })
  return kept && { kept, end }
}

/**
 * Runs the operation of a draft, which is deleted on success.
 * @returns undefined when it failed, which has been reported
 */
export async function runKept(
  shell: Shell,
  { line, kept }: { line: Invocation; kept?: Kept },
  options?: RunOptions,
): Promise<{ result: unknown } | undefined> {
  const before = shell.message
  const done = await shell.run(line, options)
  if (done) await kept?.sent()
  else if (kept) sayKept(shell, kept.again, shell.message === before ? '' : shell.message?.text)
  return done
}

/** Asks for a comment on an activity, and sends it. */
export async function askComment(shell: Shell, about: DraftSubject, again: string): Promise<void> {
  const question = 'Your comment? @agent:role wakes an agent.'
  const kept = await askKept(shell, about, question, { needed: true, again })
  if (!kept) return
  await runKept(shell, { line: { name: 'comment', input: { id: about.activityId, text: kept.text } }, kept })
}

/** Adds to an error message that the draft is kept. */
export function sayKept(shell: Shell, again: string, why = ''): void {
  const { temporary } = shell.drafts
  const where = temporary === undefined ? '' : ` in ${temporary}, since your folder is not writable`
  const reason = why === '' || /[.!?]$/.test(why) ? why : `${why}.`
  shell.say(`${reason} Your draft is kept${where}: ${again} continues it`.trim(), why ? 'warn' : 'dim')
}

/** Saves one text after the other; of several that arrive meanwhile only the last. */
function keeper(save: (text: string) => Promise<void>) {
  let wanted: string | undefined
  let busy: Promise<void> | undefined
  let fault: unknown
  const work = async () => {
    while (wanted !== undefined) {
      const text = wanted
      wanted = undefined
      try {
        await save(text)
        fault = undefined
      } catch (error) {
        fault = error
      }
    }
    busy = undefined
  }
  return {
    keep(text: string) {
      wanted = text
      busy ??= work()
    },
    /** Waits until the last one is saved. @returns the error, if any */
    async rest() {
      await busy
      return fault
    },
  }
}

/** Asks once whether to discard a draft. @returns whether it was discarded */
export async function discarded(shell: Shell, draft: Draft): Promise<boolean> {
  const { kind, title, changedAt } = draft
  const what = `${draftWords[kind]} on “${title}”`
  const age = ageOf(changedAt, shell.now())
  if (!(await shell.confirm(`Discard your draft of ${what}, written ${age} ago? There is no other copy`, [])))
    return false
  await shell.drafts.remove(draft)
  shell.say('The draft is discarded', 'dim')
  return true
}

/** A title with a symbol when the user has a draft about it. */
export function signed(
  { drafts, spoken }: Pick<Shell, 'drafts' | 'spoken'>,
  title: string,
  ids: { approvalId?: string | null; activityId?: string | null },
): string {
  const { approvalId, activityId } = ids
  const isMine = drafts.all.some(
    (draft) =>
      (draft.approvalId !== undefined && draft.approvalId === approvalId) ||
      (draft.activityId !== undefined && draft.activityId === activityId),
  )
  return isMine ? `${spoken ? 'with your draft: ' : '✎ '}${title}` : title
}

/** A line that lists the drafts and the keys that continue them; none without drafts. */
export function draftHint(drafts: readonly Draft[], keys: Partial<Record<DraftKind, string>>): StyledLine[] {
  if (drafts.length === 0) return []
  const parts = drafts.map(({ kind }) => `${draftWords[kind]} (${keys[kind] ?? ':drafts'})`)
  return [row(span(`✎ You have a draft of ${parts.join(', ')}; D discards`, 'accent'))]
}
