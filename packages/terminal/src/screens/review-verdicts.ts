import type { Invocation } from '../operations/operation.ts'
import type { Piece, Question } from '../operations/show.ts'
import { noText } from '../operations/verdicts.ts'
import { shorten } from '../render/width.ts'
import { askKept, askRejection, draftAbout, type Kept } from './drafting.ts'
import { editedText } from './edited.ts'
import type { Shell } from './shell.ts'

/**
 * An approval as it was displayed when the key was pressed: the verdict applies to this and nothing newer.
 */
export interface Seen extends Piece {
  approval: Question
  /** Shows the user's draft compared with the current text. */
  showDraft(): void
}

/** A verdict with its note and the draft of that. */
export interface VerdictRequest {
  line: Invocation
  kept?: Kept
  /** The message afterwards, when it differs from that of the key. */
  done?: string
}

/**
 * Asks for what a verdict needs: once, and without a verdict when the user leaves it.
 * @returns the operation with its input, to be run without another confirmation
 */
export type AskVerdict = (shell: Shell, seen: Seen) => Promise<VerdictRequest | undefined>

/** Short enough for a prompt in a small window: the full title is at its top. */
const named = ({ approval: { title, tenantName } }: Seen) =>
  `“${shorten(title, 48)}” for ${shorten(tenantName, 32)}`

/** Approves the displayed text; its hash prevents the approval of another one. */
export const askApprove: AskVerdict = async (shell, seen) => {
  const choice = await option(shell, seen)
  if (choice === undefined) return undefined
  const version = seen.text && seen.approval.contentHash ? `, version ${seen.text.version}` : ''
  // Choosing an option is the confirmation.
  if (choice === '' && !(await shell.confirm(`Approve ${named(seen)}${version}?`, []))) return undefined
  return { line: approval(seen, choice) }
}

/** Approves the text as the user edits it. */
export const askEdit: AskVerdict = async (shell, seen) => {
  const { text } = seen
  if (!text) {
    shell.say('There is no text to edit', 'warn')
    return undefined
  }
  const kept = await editedText(shell, { ...seen, text }, `Approve ${named(seen)} with these changes?`)
  if (!kept) return undefined
  const choice = await option(shell, seen)
  return choice === undefined ? undefined : { line: approval(seen, choice, kept.text), kept }
}

function approval({ approval: asked, text }: Seen, choice: string, edited?: string): Invocation {
  const { id, contentHash } = asked
  return {
    name: 'approve',
    input: {
      ids: [id],
      // A text beside a question that is not about it is no part of the verdict.
      hash: contentHash === undefined ? noText : (text?.contentHash ?? contentHash),
      ...(choice !== '' && { option: choice }),
      ...(edited !== undefined && { edited }),
    },
  }
}

/** @returns the chosen option, an empty text when there are none, undefined when the user leaves it */
async function option(shell: Shell, seen: Seen): Promise<string | undefined> {
  const { options = [] } = seen.approval
  return options.length === 0 ? '' : shell.choose(`Approve ${named(seen)} with which?`, options)
}

export const askReject: AskVerdict = async (shell, seen) => {
  const { id, linkedActivities } = seen.approval
  const asked = await askRejection(shell, draftAbout(seen, 'note'), {
    question: `Why is ${named(seen)} rejected?`,
    hasWork: linkedActivities.length > 0,
  })
  if (!asked) return undefined
  const { kept, end } = asked
  const line = { name: 'reject', input: { ids: [id], note: kept.text, ...(end && { end }) } }
  return { line, kept, ...(end && { done: 'rejected, and the activity is cancelled' }) }
}

export const askRevise: AskVerdict = async (shell, seen) => {
  const question = `What should be different in ${named(seen)}? Its agent reads this and writes another version.`
  const kept = await askKept(shell, draftAbout(seen, 'note'), question, { needed: true, again: 'b' })
  return kept && { line: { name: 'revise', input: { ids: [seen.approval.id], note: kept.text } }, kept }
}

export const askEscalate: AskVerdict = async (shell, seen) => {
  const { id, riskLevel } = seen.approval
  const higher = riskLevel === 'low' ? ['medium', 'high'] : ['high']
  const risk = await shell.choose(`Which risk does ${named(seen)} have?`, higher)
  if (risk === undefined) return undefined
  const about = draftAbout(seen, 'reason')
  const kept = await askKept(shell, about, 'Why? People read it.', { needed: true, again: 'x' })
  return kept && { line: { name: 'escalate', input: { id, risk, reason: kept.text } }, kept }
}

export const askForward: AskVerdict = async (shell, seen) => {
  const question = `A note to the client about ${named(seen)}? It may be empty.`
  const kept = await askKept(shell, draftAbout(seen, 'message'), question, { again: 'f' })
  if (!kept) return undefined
  const note = kept.text.trim() === '' ? {} : { note: kept.text }
  return { line: { name: 'forward', input: { id: seen.approval.id, ...note } }, kept }
}
