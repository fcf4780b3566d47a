import { createHash } from 'node:crypto'
import type { Reply } from '@copydesk/client'
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { slashLine } from '../operations/line.ts'
import type { AnyOperation, Desk, Line, Pieces } from '../operations/operation.ts'
import { clean } from '../paper/clean.ts'
import { printed } from '../paper/row.ts'
import { framed, notice } from './frame.ts'

/** An act as a person is shown it. */
export interface Shown {
  operation: string
  /** As it would be typed. */
  line: string
  /** What it would touch. */
  touches: string
  pieces: Pieces
  /** SHA-256 over all of it: a consent is good for this and nothing else. */
  actHash: string
}

type Consent = Reply<'cli', 'POST /consents'>

interface Act {
  desk: Desk
  shown: Shown
  /** The assistant that wants it. */
  name: string
  /** Whether its program can ask the person. */
  asks: boolean
  ctx: ServerContext
  /** The address of the server. */
  where: string
}

const agreed = 'agreed'
const declined = 'The person did not agree. Nothing was done; do not ask again unless the person wants to.'

/** What a person agrees to: the command, what it would touch, and the texts that it decides over. */
export async function shownOf(operation: AnyOperation, input: Line['input'], desk: Desk): Promise<Shown> {
  const [rows = [], pieces = {}] = await Promise.all([
    operation.preview?.(desk, input as never),
    operation.pieces?.(desk, input as never),
  ])
  const line = clean(slashLine(operation, input))
  const touches = printed(rows, false)
  const act = JSON.stringify([operation.name, sorted(input), line, touches, sorted(pieces)])
  const actHash = createHash('sha256').update(act).digest('hex')
  return { operation: operation.name, line, touches, pieces, actHash }
}

/**
 * Looks whether a person has agreed to an act, and uses the consent up. Where the program of the assistant can ask, it asks the
 * person; a consent that was given at the server counts as much.
 * @returns the consent, or what the tool answers in its place
 * @throws ApiError
 */
export async function agreement(
  act: Act,
): Promise<{ consent: string } | { answer: CallToolResult | InputRequiredResult }> {
  const { desk, shown, asks, ctx } = act
  const { operation, line, touches, actHash } = shown
  const consent = await desk.client.call('cli', 'POST /consents', {
    body: { operation, line, touches, actHash },
  })
  if (consent.status === 'declined') return { answer: refusal(declined) }
  const use = (elicited?: 'accepted' | 'declined') =>
    desk.client.call('cli', 'POST /consents/:id/use', {
      params: { id: consent.id },
      body: { actHash, ...(elicited && { elicited }) },
    })
  if (consent.status === 'pending') {
    if (!asks) return { answer: proposal(act, consent) }
    const answer = inputResponse(ctx.mcpReq.inputResponses, agreed)
    // An answer to something that was shown before, and has changed since, is none to this.
    if (answer.kind === 'missing' || ctx.mcpReq.requestState<string>() !== consent.id)
      return { answer: question(act, consent) }
    const isAccepted = answer.kind === 'elicit' && answer.action === 'accept'
    await use(isAccepted ? 'accepted' : 'declined')
    return isAccepted ? { consent: consent.id } : { answer: refusal(declined) }
  }
  await use()
  return { consent: consent.id }
}

/** Asks the person, by the program of the assistant. */
function question({ name, shown: { line, touches } }: Act, { id }: Consent): InputRequiredResult {
  const touched = touches === '' ? '' : `\n\n${touches}`
  return inputRequired({
    inputRequests: {
      [agreed]: inputRequired.elicit({
        message: `${name} wants to do this in your name:\n\n${line}${touched}\n\nAccept to have it done.`,
        requestedSchema: { type: 'object', properties: {} },
      }),
    },
    requestState: id,
  })
}

/** Tells what would be done, and where a person can agree to it: nothing in it lets anybody agree. */
function proposal({ shown, where }: Act, { id, expiresAt }: Consent): CallToolResult {
  const { operation, line, touches } = shown
  const next = `Nothing has been done. A person has to agree to this first, and cannot do so through you. Show the person what would be done, word for word, and that they agree with \`copydesk consent give ${id}\` in a terminal of their own, logged in at ${where} with e-mail and password, until ${expiresAt}. Once the person says that it is given, call ${operation} again with the same input.`
  return {
    content: [
      { type: 'text', text: next },
      { type: 'text', text: framed(`${line}\n${touches}`) },
    ],
    structuredContent: {
      done: false,
      next,
      consent: id,
      expiresAt,
      notice,
      line,
      touches: touches.split('\n'),
    },
  }
}

/** What a tool answers when nothing was done. */
export function refusal(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** The same in the same order, however it was written. */
function sorted(value: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
