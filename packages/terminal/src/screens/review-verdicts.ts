import type { Line } from '../operations/operation.ts'
import type { Piece, Question } from '../operations/show.ts'
import { editedText } from './edited.ts'
import type { Shell } from './shell.ts'

/** A question as it is seen at the moment of a key: what is decided is decided on this and nothing newer. */
export interface Seen extends Piece {
  approval: Question
}

/**
 * Asks what is needed for a verdict: once, and for none where the person leaves it.
 * @returns the operation with its input, ready to be run without asking again
 */
export type AskVerdict = (shell: Shell, seen: Seen) => Promise<Line | undefined>

const named = ({ approval: { title, tenantName } }: Seen) => `“${title}” for ${tenantName}`

/** Approves what is seen; the hash holds the server to it. */
export const askApprove: AskVerdict = async (shell, seen) => {
  const choice = await option(shell, seen)
  if (choice === undefined) return undefined
  const version = seen.text ? `, version ${seen.text.version}` : ''
  // Who has chosen has said yes.
  if (choice === '' && !(await shell.confirm(`Approve ${named(seen)}${version}?`, []))) return undefined
  return approval(seen, choice)
}

/** Approves the text as the person makes it in their editor. */
export const askEdit: AskVerdict = async (shell, seen) => {
  const { text } = seen
  if (!text) {
    shell.say('There is no text that could be edited', 'warn')
    return undefined
  }
  const edited = await editedText(shell, text.text, `Approve ${named(seen)} with these changes?`)
  if (edited === undefined) return undefined
  const choice = await option(shell, seen)
  return choice === undefined ? undefined : approval(seen, choice, edited)
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

export const askReject: AskVerdict = (shell, seen) =>
  withNote(shell, 'reject', seen, `Why is ${named(seen)} turned down?`)

export const askRevise: AskVerdict = (shell, seen) =>
  withNote(shell, 'revise', seen, `What should be different in ${named(seen)}?`)

async function withNote(
  shell: Shell,
  name: string,
  { approval: { id } }: Seen,
  question: string,
): Promise<Line | undefined> {
  const note = await shell.ask(question, { needed: true })
  return note === undefined ? undefined : { name, input: { ids: [id], note } }
}

export const askEscalate: AskVerdict = async (shell, seen) => {
  const { id, riskLevel } = seen.approval
  const higher = riskLevel === 'low' ? ['medium', 'high'] : ['high']
  const risk = await shell.choose(`Which risk has ${named(seen)}?`, higher)
  if (risk === undefined) return undefined
  const reason = await shell.ask('Why? People read it.', { needed: true })
  return reason === undefined ? undefined : { name: 'escalate', input: { id, risk, reason } }
}

export const askForward: AskVerdict = async (shell, seen) => {
  const note = await shell.ask(`What is the client told about ${named(seen)}? It may be nothing.`)
  if (note === undefined) return undefined
  return { name: 'forward', input: { id: seen.approval.id, ...(note.trim() !== '' && { note }) } }
}
