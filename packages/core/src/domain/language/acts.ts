import { closedStatuses } from '../activities/entities.ts'
import { higherRisk } from '../approvals/policy.ts'
import { dayIn } from '../campaigns/periods.ts'
import { zoneOf } from '../costs/report-queries.ts'
import { agentAccounts } from './act-accounts.ts'
import { actOnAgent, giveTask } from './agent-acts.ts'
import { notAll, optionsFor, type Wanted } from './choices.ts'
import { leftOver, withTitle } from './coverage.ts'
import { screenIn } from './open-screen.ts'
import type { Piece } from './piece-queries.ts'
import { minuteOf, spaced } from './plain.ts'
import { asked, nameOf, previewOf, proposed, type Reading } from './reading.ts'
import type { Request, Scene } from './scene.ts'
import { findTargets } from './targets.ts'
import { untilIn } from './until.ts'
import { decide } from './verdicts.ts'
import type { Verb } from './vocabulary.ts'

/** What a person wants to have done, as one command to confirm, or what is still to be said. */
export async function act(
  scene: Scene,
  request: Request,
  verb: Exclude<Verb, 'undo' | 'campaign'>,
): Promise<Reading> {
  switch (verb) {
    case 'approve':
    case 'reject':
    case 'revise':
      return decide(scene, request, verb)
    case 'run':
      return giveTask(scene, request)
    case 'pause':
    case 'resume':
      return ofAgent(scene, request, verb) ?? onePiece(scene, request, verb)
    case 'stop':
      return ofAgent(scene, request, 'pause') ?? stopWork(scene, request)
    default:
      return onePiece(scene, request, verb)
  }
}

/** Holds an agent back or lets it go on; undefined where a piece of work is meant. */
function ofAgent(
  scene: Scene,
  request: Request,
  verb: 'pause' | 'resume',
): Promise<Reading> | Reading | undefined {
  const { said, slots } = request
  const { words, by } = slots.claims
  const isNamed = said.roles.length > 0 || /\bagents?\b/.test(said.text)
  if (!isNamed || said.ids.length > 0 || said.quotes.length > 0) return undefined
  const left = leftOver(request, agentAccounts(verb))
  const named = withTitle(request, left)
  // What is left over may be the name of a tenant that there is not.
  const unknown = new Set(named.slots.unknownName?.split(' '))
  if (named.slots.title.every((word) => unknown.has(word))) return actOnAgent(scene, named, verb)
  const isOfWork = by.some(
    (slot) => slot === 'noun' || slot === 'deliverableType' || slot === 'place' || slot === 'order',
  )
  return slots.title.length > 0 || isOfWork ? undefined : notAll(left.map((at) => words[at] ?? ''))
}

type Single = Exclude<Verb, 'approve' | 'reject' | 'revise' | 'run' | 'stop' | 'undo' | 'campaign'>

/** To what each can be done, and in which states work is for it. */
const subjects: Record<Single, Pick<Wanted, 'kind' | 'states'>> = {
  escalate: { kind: 'approval' },
  forward: { kind: 'approval' },
  claim: { kind: 'approval' },
  release: { kind: 'approval' },
  pause: { kind: 'activity', states: ['running'] },
  resume: { kind: 'activity', states: ['blocked'] },
  retry: { kind: 'activity', states: ['failed', 'blocked'] },
  cancel: { kind: 'activity', states: ['running', 'blocked'] },
  tail: { kind: 'activity', states: ['running'] },
  snooze: { kind: 'any' },
  dismiss: { kind: 'any' },
  open: { kind: 'any' },
  compare: { kind: 'any' },
}

async function onePiece(scene: Scene, given: Request, verb: Single): Promise<Reading> {
  const screen = verb === 'open' ? screenIn(given) : undefined
  if (screen) return screen
  const request = aboutPiece(given, verb)
  const after = given.note === undefined ? '' : ` because ${given.note}`
  const wanted: Wanted = { ...subjects[verb], verb: verb === 'forward' ? 'forward' : verb, after }
  const found = await findTargets(scene, request, wanted)
  if ('answer' in found) return found
  const [piece] = found.pieces
  if (!piece || found.pieces.length > 1)
    return asked(`Only one at a time can be meant here. Which one?`, optionsFor(found.pieces, wanted))
  const refusal = obstacle(piece, verb)
  if (refusal) return asked(refusal, [], { ids: [piece.id] })
  return commandFor(scene, given, verb, piece)
}

/** The risk that something is to get is none that it has. */
function aboutPiece(given: Request, verb: Single): Request {
  const isGiven = verb === 'escalate' && /\b(?:to|as) (?:high|medium)\b/.test(given.said.text)
  return isGiven ? { ...given, slots: { ...given.slots, risks: [] } } : given
}

/** Why something cannot be done to a piece as it is; undefined when it can. */
function obstacle(piece: Piece, verb: Single): string | undefined {
  const { kind, status, hold } = piece
  const is = `${nameOf(piece)} is ${hold ?? spaced(status)}`
  if (subjects[verb].kind === 'approval' && status !== 'pending')
    return `${is}: it waits for no verdict any more.`
  if (kind !== 'activity') return undefined
  const isClosed = (closedStatuses as readonly string[]).includes(status)
  if (verb === 'pause' && (status !== 'in_progress' || hold))
    return `${is}: only work in progress can be paused.`
  if (verb === 'resume' && !hold) return `${is}: only what is paused can be resumed.`
  if (verb === 'retry' && !(status === 'failed' || (status === 'blocked' && !hold)))
    return `${is}: only what has failed or is blocked can be tried again.`
  if (verb === 'cancel' && isClosed) return `${is}: it cannot be cancelled any more.`
  return undefined
}

async function commandFor(
  { ctx }: Scene,
  { said, note }: Request,
  verb: Single,
  piece: Piece,
): Promise<Reading> {
  const { id, riskLevel } = piece
  const [what, preview, about] = [nameOf(piece), previewOf([piece]), { ids: [id] }]
  const lacks = (question: string) => asked(question, [], { ...about, missing: 'note' })
  switch (verb) {
    case 'escalate': {
      const risk = /\bhigh\b/.test(said.text)
        ? 'high'
        : /\bmedium\b/.test(said.text)
          ? 'medium'
          : higherRisk(riskLevel ?? 'low')
      if (riskLevel === 'high' || risk === undefined || risk === 'low')
        return asked(`${what} has a high risk already.`, [], about)
      if (note === undefined) return lacks(`Why is the risk of ${what} ${risk}?`)
      return proposed(
        { name: verb, id, risk, reason: note },
        `Raise the risk of ${what} to ${risk}`,
        preview,
        about,
      )
    }
    case 'forward':
      return proposed(
        { name: verb, id, ...(note && { note }) },
        `Ask the client about ${what}`,
        preview,
        about,
      )
    case 'claim':
      return proposed({ name: verb, id }, `Keep ${what} for you for 15 minutes`, preview, about)
    case 'release':
      return proposed({ name: verb, id }, `Let go of ${what}, for others to decide`, preview, about)
    case 'pause':
      return proposed(
        { name: verb, id, ...(note && { reason: note }) },
        `Pause the work on ${what}`,
        preview,
        about,
      )
    case 'resume':
      return proposed({ name: verb, id }, `Go on with the work on ${what}`, preview, about)
    case 'retry':
      return proposed({ name: verb, id }, `Try ${what} again, which costs another run`, preview, about)
    case 'cancel':
      if (note === undefined) return lacks(`Why is ${what} cancelled? The reason is kept with it.`)
      return proposed({ name: verb, id, reason: note }, `Cancel ${what}, which is final`, preview, about)
    case 'tail':
      return proposed({ name: verb, id }, `Follow the text of ${what} as it is written`, preview, about)
    case 'snooze': {
      const now = ctx.clock.date()
      const zone = await zoneOf(ctx, piece.tenantId)
      const until = untilIn(said.raw.toLowerCase(), now, dayIn(now, zone), zone)
      if (!until)
        return asked(
          `Until when is ${what} to be put aside?`,
          optionsFor([piece], { verb }).flatMap((one) => [
            `${one} for 2 hours`,
            `${one} until tomorrow`,
            `${one} until monday`,
          ]),
          { ...about, missing: 'until' },
        )
      const command = { name: verb, id: itemOf(piece), until: until.toISOString() }
      return proposed(command, `Put ${what} aside until ${minuteOf(until)}`, preview, about)
    }
    case 'dismiss':
      if (riskLevel === 'high')
        return asked(
          `${what} has a high risk: it stays in sight until it is decided.`,
          optionsFor([piece], { verb: 'snooze', after: ' until tomorrow' }),
          about,
        )
      return proposed(
        { name: verb, id: itemOf(piece) },
        `Put ${what} out of sight until something new happens`,
        preview,
        about,
      )
    default:
      return proposed(
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

async function stopWork(scene: Scene, request: Request): Promise<Reading> {
  const found = await findTargets(scene, request, { kind: 'activity', verb: 'pause', states: ['running'] })
  if ('answer' in found) return found
  const options = ['pause', 'cancel'].flatMap((verb) => optionsFor(found.pieces.slice(0, 4), { verb }))
  return asked('Is the work to be paused, to go on later, or cancelled for good?', options, {
    ids: found.pieces.map(({ id }) => id),
  })
}
