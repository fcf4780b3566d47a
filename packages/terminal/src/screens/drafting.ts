import { type Draft, type DraftKind, type DraftSubject, mostDrafts, noRoom } from '../account/drafts.ts'
import type { Line } from '../operations/operation.ts'
import type { Piece } from '../operations/show.ts'
import { afterRejection } from '../operations/verdicts.ts'
import { type Row, row, span } from '../paper/row.ts'
import { ageOf } from '../paper/words.ts'
import { sentence } from './faults.ts'
import type { PromptOptions, Turn } from './overlay.ts'
import type { RunOptions } from './run-operation.ts'
import type { Shell } from './shell.ts'

/** What a draft is of, as it is told. */
export const draftWords: Readonly<Record<DraftKind, string>> = {
  text: 'the text',
  note: 'a note',
  comment: 'a comment',
  reason: 'a reason',
  message: 'words to the client',
  brief: 'a brief',
}

/** Something that a person has written, which is kept until it has been sent. */
export interface Kept {
  text: string
  /** The key that goes on with it. */
  again: string
  /** It has been sent: the draft goes. */
  sent(): Promise<void>
}

/** What is written in a review: a comment is on the piece of work, everything else about the question. */
export function draftAbout({ approval, activity }: Piece, kind: DraftKind): DraftSubject {
  return {
    kind,
    ...(approval && kind !== 'comment' && { approvalId: approval.id }),
    ...(activity && { activityId: activity.id }),
    title: approval?.title ?? activity?.title ?? '',
    tenantName: approval?.tenantName ?? activity?.tenantName ?? '',
  }
}

/** Whether another draft can be begun, as far as it is known; says so where none can. */
export function hasRoom({ drafts, say }: Shell, about: DraftSubject): boolean {
  if (drafts.all.length < mostDrafts || drafts.find(about)) return true
  say(noRoom, 'warn')
  return false
}

/**
 * Asks for words, beginning with those that were written before and not sent. Each key is kept at once, so that they are there
 * again after a slip, a refusal or a crash.
 * @param again the key that asks for them again
 * @returns undefined when the person leaves it
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
  if (fault !== undefined) shell.say(`What you wrote could not be kept: ${sentence(fault)}`, 'bad')
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
 * Asks why something is turned down, and what happens to the work: it is tried again, or ends.
 * @param hasWork whether there is work that it would be given back to
 */
export async function askRejection(
  shell: Shell,
  about: DraftSubject,
  { question, hasWork }: { question: string; hasWork: boolean },
): Promise<{ kept: Kept; end: boolean } | undefined> {
  let end = false
  const turn: Turn = {
    ways: [
      { next: afterRejection(false), tab: 'end the work instead' },
      { next: afterRejection(true), tab: 'let the agent try again' },
    ],
    turned: (at) => void (end = at === 1),
  }
  const kept = await askKept(shell, about, question, { needed: true, again: 'r', ...(hasWork && { turn }) })
  return kept && { kept, end }
}

/**
 * Runs what was written for; the draft goes when that is done.
 * @returns undefined when it was not done, which has been said
 */
export async function runKept(
  shell: Shell,
  { line, kept }: { line: Line; kept?: Kept },
  options?: RunOptions,
): Promise<{ result: unknown } | undefined> {
  const before = shell.message
  const done = await shell.run(line, options)
  if (done) await kept?.sent()
  else if (kept) sayKept(shell, kept.again, shell.message === before ? '' : shell.message?.text)
  return done
}

/** Asks for a comment on a piece of work, and says it there. */
export async function askComment(shell: Shell, about: DraftSubject, again: string): Promise<void> {
  const question = 'What do you want to say? @agent:role wakes an agent.'
  const kept = await askKept(shell, about, question, { needed: true, again })
  if (!kept) return
  await runKept(shell, { line: { name: 'comment', input: { id: about.activityId, text: kept.text } }, kept })
}

/** Says that what was written is kept, after what has been said on why it was not sent. */
export function sayKept(shell: Shell, again: string, why = ''): void {
  const { temporary } = shell.drafts
  const where = temporary === undefined ? '' : ` in ${temporary}, since your own folder cannot be written`
  const reason = why === '' || /[.!?]$/.test(why) ? why : `${why}.`
  shell.say(`${reason} What you wrote is kept${where}: ${again} goes on with it`.trim(), why ? 'warn' : 'dim')
}

/** Saves one text after the other, of several that come meanwhile only the last. */
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
    /** Waits until the last one is saved. @returns why it is not, if it is not */
    async rest() {
      await busy
      return fault
    },
  }
}

/** Asks once whether a draft is to go. @returns whether it has gone */
export async function discarded(shell: Shell, draft: Draft): Promise<boolean> {
  const { kind, title, changedAt } = draft
  const what = `${draftWords[kind]} on “${title}”`
  const age = ageOf(changedAt, shell.now())
  if (
    !(await shell.confirm(`Discard your draft of ${what}, written ${age} ago? It exists nowhere else.`, []))
  )
    return false
  await shell.drafts.remove(draft)
  shell.say('The draft is discarded', 'dim')
  return true
}

/** A title with a sign where the person has written something on it and not sent it. */
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

/** A line that says which drafts there are and which keys go on with them; none without drafts. */
export function draftHint(drafts: readonly Draft[], keys: Partial<Record<DraftKind, string>>): Row[] {
  if (drafts.length === 0) return []
  const parts = drafts.map(({ kind }) => `${draftWords[kind]} (${keys[kind] ?? ':drafts'})`)
  return [row(span(`✎ You have a draft of ${parts.join(', ')}; D discards`, 'accent'))]
}
