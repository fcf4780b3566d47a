import { createHash } from 'node:crypto'
import type { Reply } from '@copydesk/client'
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { slashLine } from '../operations/invocation.ts'
import type { AnyOperation, ContentHashes, Invocation, OperationContext } from '../operations/operation.ts'
import { clean } from '../render/clean.ts'
import { printed } from '../render/row.ts'
import { notice, wrapUntrusted } from './wrap-untrusted.ts'

/** An operation as it is shown to the user. */
export interface Shown {
  operation: string
  /** As a command line. */
  line: string
  /** The rows that it would affect. */
  touches: string
  pieces: ContentHashes
  /** SHA-256 over all of it: a consent is valid only for this operation. */
  actHash: string
}

type Consent = Reply<'cli', 'POST /consents'>

interface Act {
  context: OperationContext
  shown: Shown
  /** The assistant that asks for consent. */
  name: string
  /** Whether its program can ask the user. */
  asks: boolean
  ctx: ServerContext
  /** The address of the server. */
  where: string
}

const agreed = 'agreed'
const declined = 'The user did not agree. Nothing was done; do not ask again unless the user wants to.'

/** What a consent covers: the command, the rows that it affects, and the texts that it decides on. */
export async function shownOf(
  operation: AnyOperation,
  input: Invocation['input'],
  context: OperationContext,
): Promise<Shown> {
  const [rows = [], pieces = {}] = await Promise.all([
    operation.preview?.(context, input),
    operation.contentHashes?.(context, input),
  ])
  const line = clean(slashLine(operation, input))
  const touches = printed(rows, false)
  const act = JSON.stringify([operation.name, sorted(input), line, touches, sorted(pieces)])
  const actHash = createHash('sha256').update(act).digest('hex')
  return { operation: operation.name, line, touches, pieces, actHash }
}

/**
 * Checks whether the user has consented to an operation, and uses the consent up. When the assistant's
 * program can ask, it asks the user; a consent given at the server counts as much.
 * @returns the consent, or the tool's answer when there is none
 * @throws ApiError
 */
export async function agreement(
  act: Act,
): Promise<{ consent: string } | { answer: CallToolResult | InputRequiredResult }> {
  const { context, shown, asks, ctx } = act
  const { operation, line, touches, actHash } = shown
  const consent = await context.client.call('cli', 'POST /consents', {
    body: { operation, line, touches, actHash },
  })
  if (consent.status === 'declined') return { answer: refusedCall(declined) }
  const use = (elicited?: 'accepted' | 'declined') =>
    context.client.call('cli', 'POST /consents/:id/use', {
      params: { id: consent.id },
      body: { actHash, ...(elicited && { elicited }) },
    })
  if (consent.status === 'pending') {
    if (!asks) return { answer: proposal(act, consent) }
    const answer = inputResponse(ctx.mcpReq.inputResponses, agreed)
    // A consent to something that was shown before and has changed since does not count.
    if (answer.kind === 'missing' || ctx.mcpReq.requestState<string>() !== consent.id)
      return { answer: question(act, consent) }
    const isAccepted = answer.kind === 'elicit' && answer.action === 'accept'
    await use(isAccepted ? 'accepted' : 'declined')
    return isAccepted ? { consent: consent.id } : { answer: refusedCall(declined) }
  }
  await use()
  return { consent: consent.id }
}

/** Asks the user through the assistant's program. */
function question({ name, shown: { line, touches } }: Act, { id }: Consent): InputRequiredResult {
  const touched = touches === '' ? '' : `\n\n${touches}`
  return inputRequired({
    inputRequests: {
      [agreed]: inputRequired.elicit({
        message: `${name} wants to run this in your name:\n\n${line}${touched}\n\nAccept to run it.`,
        requestedSchema: { type: 'object', properties: {} },
      }),
    },
    requestState: id,
  })
}

/**
 * Describes the operation, and where the user can consent: the answer itself does not allow to give the
 * consent.
 */
function proposal({ shown, where }: Act, { id, expiresAt }: Consent): CallToolResult {
  const { operation, line, touches } = shown
  const next = `Nothing has been done. The user has to consent to this first, and cannot do so through you. Show the user the following operation word for word, and say that they consent with \`copydesk consent give ${id}\` in a terminal, logged in at ${where} with e-mail and password, until ${expiresAt}. Once the user says that the consent is given, call ${operation} again with the same input.`
  return {
    content: [
      { type: 'text', text: next },
      { type: 'text', text: wrapUntrusted(`${line}\n${touches}`) },
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

/** The answer of a tool that did nothing. */
export function refusedCall(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** Sorts keys, so that the same input always has the same text. */
function sorted(value: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
