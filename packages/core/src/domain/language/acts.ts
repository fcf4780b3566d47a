import { agentAccounts, leftOver, spaced, type Verb, withTitle } from '@copydesk/language'
import { closedStatuses } from '../work/activities/entities.ts'
import { actOnAgent, giveTask } from './agent-acts.ts'
import { notAll, optionsFor, type TargetSpec } from './choices.ts'
import type { SlashCommand } from './commands.ts'
import { actionAnswer, clarificationAnswer, type Interpretation, nameOf } from './interpretation.ts'
import { commandFor, type PieceVerb } from './piece-commands.ts'
import type { Piece } from './piece-queries.ts'
import type { LanguageRequest, QueryContext } from './query-context.ts'
import { findTargets } from './targets.ts'
import { decide } from './verdicts.ts'

/** What a person wants to have done, as one command to confirm, or what is still to be said. */
export async function act(
  scene: QueryContext,
  request: LanguageRequest,
  verb: Exclude<Verb, 'undo' | 'campaign'>,
): Promise<Interpretation> {
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
  scene: QueryContext,
  request: LanguageRequest,
  verb: 'pause' | 'resume',
): Promise<Interpretation> | Interpretation | undefined {
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

/** To what each can be done, and in which states work is for it. */
const subjects: Record<PieceVerb, Pick<TargetSpec, 'kind' | 'states'>> = {
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

async function onePiece(
  scene: QueryContext,
  given: LanguageRequest,
  verb: PieceVerb,
): Promise<Interpretation> {
  const screen = verb === 'open' ? screenIn(given) : undefined
  if (screen) return screen
  const request = aboutPiece(given, verb)
  const after = given.note === undefined ? '' : ` because ${given.note}`
  const wanted: TargetSpec = { ...subjects[verb], verb: verb === 'forward' ? 'forward' : verb, after }
  const found = await findTargets(scene, request, wanted)
  if ('answer' in found) return found
  const [piece] = found.pieces
  if (!piece || found.pieces.length > 1)
    return clarificationAnswer(
      `Only one at a time can be meant here. Which one?`,
      optionsFor(found.pieces, wanted),
    )
  const refusal = obstacle(piece, verb)
  if (refusal) return clarificationAnswer(refusal, [], { ids: [piece.id] })
  return commandFor(scene, given, verb, piece)
}

/** The risk that something is to get is none that it has. */
function aboutPiece(given: LanguageRequest, verb: PieceVerb): LanguageRequest {
  const isGiven = verb === 'escalate' && /\b(?:to|as) (?:high|medium)\b/.test(given.said.text)
  return isGiven ? { ...given, slots: { ...given.slots, risks: [] } } : given
}

/** Why something cannot be done to a piece as it is; undefined when it can. */
function obstacle(piece: Piece, verb: PieceVerb): string | undefined {
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

async function stopWork(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  const found = await findTargets(scene, request, { kind: 'activity', verb: 'pause', states: ['running'] })
  if ('answer' in found) return found
  const options = ['pause', 'cancel'].flatMap((verb) => optionsFor(found.pieces.slice(0, 4), { verb }))
  return clarificationAnswer('Is the work to be paused, to go on later, or cancelled for good?', options, {
    ids: found.pieces.map(({ id }) => id),
  })
}

/** The screens, how people call them, and whether one can be narrowed to a tenant. */
const screens: ReadonlyArray<readonly [RegExp, SlashCommand['name'] & Screen, isOfTenant: boolean]> = [
  [/\b(?:agent )?queues\b/, 'queues', true],
  [/\b(?:queue|work)\b/, 'queue', true],
  [/\bagents\b/, 'agents', true],
  [/\b(?:feed|inbox)\b/, 'feed', false],
  [/\b(?:costs?|spend(?:ing)?)\b/, 'cost', true],
  [/\b(?:tenants|clients|customers)\b/, 'tenants', false],
  [/\b(?:status|overview|dashboard)\b/, 'status', true],
]
type Screen = 'queues' | 'queue' | 'agents' | 'feed' | 'cost' | 'tenants' | 'status'

/** The screen that is to be opened; undefined where something else is meant. */
function screenIn(request: LanguageRequest): Interpretation | undefined {
  const { said } = request
  const [form, name, isOfTenant] = screens.find(([one]) => one.test(said.text)) ?? []
  if (!form || !name) return undefined
  const accounts = {
    slots: isOfTenant ? (['tenant'] as const) : [],
    forms: [/#open/, form, /\b(?:screen|page|view)\b/],
  }
  if (said.tenants.length > 1 || leftOver(request, accounts).length > 0) return undefined
  const [tenant] = said.tenants
  return actionAnswer(
    { name, ...(tenant && { tenant: tenant.id }) } as SlashCommand,
    `Open the ${name} screen`,
  )
}
