import { requestOf } from '@copydesk/language'
import type { ApprovalType } from '../work/approvals/entities.ts'
import { act } from './acts.ts'
import { type Act, actOf, type SlashCommand } from './commands.ts'
import { actionAnswer, clarificationAnswer, type Interpretation } from './interpretation.ts'
import { findPieces } from './piece-queries.ts'
import type { LanguageRequest, QueryContext } from './query-context.ts'
import { decide } from './verdicts.ts'

/**
 * Checks a command that a model proposes like anything else that comes from outside. The act has to be in the person's own
 * words, and what it is done to must have been named by the person or been looked at for this request: text of others that
 * asks for something has no say in it.
 * @param seen ids that were resolved from the person's words or read for this request
 */
export async function checkProposal(
  scene: QueryContext,
  request: LanguageRequest,
  command: SlashCommand,
  seen: ReadonlySet<string>,
): Promise<Interpretation> {
  const wanted = actOf(command)
  if (wanted !== undefined && !saysSo(request, wanted))
    return clarificationAnswer(
      'What is to be done? Say it with a verb, such as approve, reject, pause or retry.',
    )
  const ids = idsOf(command)
  if (wanted !== undefined && meansSeveral(command) && !wantsSeveral(request))
    return clarificationAnswer('Which one do you mean? Name it by its title or its id.')
  const { tenant, role } = { tenant: undefined, role: undefined, ...command } as {
    tenant?: string
    role?: string
  }
  const there = scene.counts.find(({ tenantId }) => tenantId === tenant)
  const isKnown =
    ids.every((id) => seen.has(id)) && (await findPieces(scene.ctx, ids)).length === new Set(ids).size
  if (!isKnown || (tenant !== undefined && !there))
    return clarificationAnswer('It is not clear what is meant. Name it by its title or its id.')
  if (wanted === undefined) return actionAnswer(command, `Open the screen ${command.name}`)
  const named = there && { id: there.tenantId, name: there.tenantName }
  const said = { ids, tenant: named, roles: role === undefined ? [] : [role], acts: [wanted] }
  return inWords(scene, command, wanted, said)
}

/** The same answer that the person's own words would have had. */
function inWords(
  scene: QueryContext,
  command: SlashCommand,
  wanted: Act,
  said: Parameters<typeof requestOf>[0],
): Promise<Interpretation> {
  const { note, reason, prompt } = {
    note: undefined,
    reason: undefined,
    prompt: undefined,
    ...command,
  } as Words
  const words = note ?? reason ?? prompt
  if (command.name === 'bulk') {
    const { risk, older, type } = command
    const slots = { all: true, risks: risk ? [risk] : [], ...(older !== undefined && { olderThan: older }) }
    const request = requestOf(said, slots, words)
    // A type that does not exist matches nothing.
    const approvalType = type as ApprovalType | undefined
    const typed = approvalType ? { ...request, slots: { ...request.slots, approvalType } } : request
    return decide(scene, typed, command.action)
  }
  const raw = command.name === 'snooze' ? command.until : ''
  const text = command.name === 'escalate' ? command.risk : ''
  return act(scene, requestOf({ ...said, raw, text }, {}, words), wanted)
}

interface Words {
  note?: string
  reason?: string
  prompt?: string
}

/** Whether a person's own words ask for an act. */
function saysSo({ said }: LanguageRequest, wanted: Act): boolean {
  if (said.negated) return false
  return said.acts.some(
    (verb) => verb === wanted || (verb === 'stop' && (wanted === 'pause' || wanted === 'cancel')),
  )
}

function idsOf(command: SlashCommand): string[] {
  if ('ids' in command && command.ids) return command.ids
  return 'id' in command && command.id !== undefined ? [command.id] : []
}

const meansSeveral = (command: SlashCommand) => command.name === 'bulk' || idsOf(command).length > 1

function wantsSeveral({ said, slots }: LanguageRequest): boolean {
  return slots.all || slots.reference === 'many' || said.ids.length > 1
}
