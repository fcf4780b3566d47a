import type { Line } from '../operations/operation.ts'
import type { Piece, Question } from '../operations/show.ts'
import { shorten } from '../paper/width.ts'
import { askKept, askRejection, draftAbout, type Kept } from './drafting.ts'
import { editedText } from './edited.ts'
import type { Shell } from './shell.ts'

/** A question as it is seen at the moment of a key: what is decided is decided on this and nothing newer. */
export interface Seen extends Piece {
  approval: Question
  /** Shows what the person has written beside the text as it is now. */
  showDraft(): void
}

/** A verdict as the person wants it, and what they have written for it. */
export interface Wanted {
  line: Line
  kept?: Kept
  /** What has been done then, where the key alone does not say it. */
  done?: string
}

/**
 * Asks what is needed for a verdict: once, and for none where the person leaves it.
 * @returns the operation with its input, ready to be run without asking again
 */
export type AskVerdict = (shell: Shell, seen: Seen) => Promise<Wanted | undefined>

/** Short enough for a question on a small window: the whole title stands at its top. */
const named = ({ approval: { title, tenantName } }: Seen) =>
  `“${shorten(title, 48)}” for ${shorten(tenantName, 32)}`

/** Approves what is seen; the hash holds the server to it. */
export const askApprove: AskVerdict = async (shell, seen) => {
  const choice = await option(shell, seen)
  if (choice === undefined) return undefined
  const version = seen.text ? `, version ${seen.text.version}` : ''
  // Who has chosen has said yes.
  if (choice === '' && !(await shell.confirm(`Approve ${named(seen)}${version}?`, []))) return undefined
  return { line: approval(seen, choice) }
}

/** Approves the text as the person makes it in their editor. */
export const askEdit: AskVerdict = async (shell, seen) => {
  const { text } = seen
  if (!text) {
    shell.say('There is no text that could be edited', 'warn')
    return undefined
  }
  const kept = await editedText(shell, { ...seen, text }, `Approve ${named(seen)} with these changes?`)
  if (!kept) return undefined
  const choice = await option(shell, seen)
  return choice === undefined ? undefined : { line: approval(seen, choice, kept.text), kept }
}

function approval({ approval: { id }, text }: Seen, choice: string, edited?: string): Line {
  return {
    name: 'approve',
    input: {
      ids: [id],
      ...(text && { hash: text.contentHash }),
      ...(choice !== '' && { option: choice }),
      ...(edited !== undefined && { edited }),
    },
  }
}

/** @returns the option that is chosen, an empty text where there are none, undefined when it is left */
async function option(shell: Shell, seen: Seen): Promise<string | undefined> {
  const { options = [] } = seen.approval
  return options.length === 0 ? '' : shell.choose(`Approve ${named(seen)} with which?`, options)
}

export const askReject: AskVerdict = async (shell, seen) => {
  const { id, linkedActivities } = seen.approval
  const asked = await askRejection(shell, draftAbout(seen, 'note'), {
    question: `Why is ${named(seen)} turned down?`,
    hasWork: linkedActivities.length > 0,
  })
  if (!asked) return undefined
  const { kept, end } = asked
  const line = { name: 'reject', input: { ids: [id], note: kept.text, ...(end && { end }) } }
  return { line, kept, ...(end && { done: 'rejected, and the work has ended' }) }
}

export const askRevise: AskVerdict = async (shell, seen) => {
  const question = `What should be different in ${named(seen)}? Its agent reads this and writes another version.`
  const kept = await askKept(shell, draftAbout(seen, 'note'), question, { needed: true, again: 'b' })
  return kept && { line: { name: 'revise', input: { ids: [seen.approval.id], note: kept.text } }, kept }
}

export const askEscalate: AskVerdict = async (shell, seen) => {
  const { id, riskLevel } = seen.approval
  const higher = riskLevel === 'low' ? ['medium', 'high'] : ['high']
  const risk = await shell.choose(`Which risk has ${named(seen)}?`, higher)
  if (risk === undefined) return undefined
  const about = draftAbout(seen, 'reason')
  const kept = await askKept(shell, about, 'Why? People read it.', { needed: true, again: 'x' })
  return kept && { line: { name: 'escalate', input: { id, risk, reason: kept.text } }, kept }
}

export const askForward: AskVerdict = async (shell, seen) => {
  const question = `What is the client told about ${named(seen)}? It may be nothing.`
  const kept = await askKept(shell, draftAbout(seen, 'message'), question, { again: 'f' })
  if (!kept) return undefined
  const note = kept.text.trim() === '' ? {} : { note: kept.text }
  return { line: { name: 'forward', input: { id: seen.approval.id, ...note } }, kept }
}
