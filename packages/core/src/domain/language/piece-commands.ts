import { minuteOf, type Verb } from '@copydesk/language'
import { dayIn } from '../../kernel/periods.ts'
import { zoneOf } from '../insight/costs/queries.ts'
import { higherRisk } from '../work/approvals/policy.ts'
import { optionsFor } from './choices.ts'
import {
  actionAnswer,
  clarificationAnswer,
  type Interpretation,
  nameOf,
  previewOf,
} from './interpretation.ts'
import type { Piece } from './piece-queries.ts'
import type { LanguageRequest, QueryContext } from './query-context.ts'
import { untilIn } from './until.ts'

/** What is done to one piece. */
export type PieceVerb = Exclude<Verb, 'approve' | 'reject' | 'revise' | 'run' | 'stop' | 'undo' | 'campaign'>

/** The command for what is to be done to a piece, or what is still to be said. */
export async function commandFor(
  { ctx }: QueryContext,
  { said, note }: LanguageRequest,
  verb: PieceVerb,
  piece: Piece,
): Promise<Interpretation> {
  const { id, riskLevel } = piece
  const [what, preview, about] = [nameOf(piece), previewOf([piece]), { ids: [id] }]
  const lacks = (question: string) => clarificationAnswer(question, [], { ...about, missing: 'note' })
  switch (verb) {
    case 'escalate': {
      const risk = /\bhigh\b/.test(said.text)
        ? 'high'
        : /\bmedium\b/.test(said.text)
          ? 'medium'
          : higherRisk(riskLevel ?? 'low')
      if (riskLevel === 'high' || risk === undefined || risk === 'low')
        return clarificationAnswer(`${what} has a high risk already.`, [], about)
      if (note === undefined) return lacks(`Why is the risk of ${what} ${risk}?`)
      return actionAnswer(
        { name: verb, id, risk, reason: note },
        `Raise the risk of ${what} to ${risk}`,
        preview,
        about,
      )
    }
    case 'forward':
      return actionAnswer(
        { name: verb, id, ...(note && { note }) },
        `Ask the client about ${what}`,
        preview,
        about,
      )
    case 'claim':
      return actionAnswer({ name: verb, id }, `Keep ${what} for you for 15 minutes`, preview, about)
    case 'release':
      return actionAnswer({ name: verb, id }, `Let go of ${what}, for others to decide`, preview, about)
    case 'pause':
      return actionAnswer(
        { name: verb, id, ...(note && { reason: note }) },
        `Pause the work on ${what}`,
        preview,
        about,
      )
    case 'resume':
      return actionAnswer({ name: verb, id }, `Go on with the work on ${what}`, preview, about)
    case 'retry':
      return actionAnswer({ name: verb, id }, `Try ${what} again, which costs another run`, preview, about)
    case 'cancel':
      if (note === undefined) return lacks(`Why is ${what} cancelled? The reason is kept with it.`)
      return actionAnswer({ name: verb, id, reason: note }, `Cancel ${what}, which is final`, preview, about)
    case 'tail':
      return actionAnswer({ name: verb, id }, `Follow the text of ${what} as it is written`, preview, about)
    case 'snooze': {
      const now = ctx.clock.date()
      const zone = await zoneOf(ctx, piece.tenantId)
      const until = untilIn(said.raw.toLowerCase(), now, dayIn(now, zone), zone)
      if (!until)
        return clarificationAnswer(
          `Until when is ${what} to be put aside?`,
          optionsFor([piece], { verb }).flatMap((one) => [
            `${one} for 2 hours`,
            `${one} until tomorrow`,
            `${one} until monday`,
          ]),
          { ...about, missing: 'until' },
        )
      const command = { name: verb, id: itemOf(piece), until: until.toISOString() }
      return actionAnswer(command, `Put ${what} aside until ${minuteOf(until)}`, preview, about)
    }
    case 'dismiss':
      if (riskLevel === 'high')
        return clarificationAnswer(
          `${what} has a high risk: it stays in sight until it is decided.`,
          optionsFor([piece], { verb: 'snooze', after: ' until tomorrow' }),
          about,
        )
      return actionAnswer(
        { name: verb, id: itemOf(piece) },
        `Put ${what} out of sight until something new happens`,
        preview,
        about,
      )
    default:
      return actionAnswer(
        { name: 'show', id },
        verb === 'compare' ? `Show ${what} beside the version before` : `Open ${what}`,
        undefined,
        about,
      )
  }
}

/** In the feed work that waits for a verdict stands as its question. */
function itemOf({ kind, id, other }: Piece): string {
  return kind === 'activity' && other !== null ? other : id
}
