import { actAccounts, bare, capital, leftOver, makers, plain, quoted, spaced } from '@copydesk/language'
import type { ReviewerAgentState } from '../work/agent-control/schemas.ts'
import { ambiguousTenant, unknownName } from './choices.ts'
import { actionAnswer, clarificationAnswer, type Interpretation } from './interpretation.ts'
import { type LanguageRequest, parser, type QueryContext } from './query-context.ts'

const nameOf = ({ role, tenantName }: ReviewerAgentState) => `the ${spaced(role)} of ${plain(tenantName, 80)}`

/** Options that name one agent each. */
const optionsFor = (agents: readonly ReviewerAgentState[], verb: string, after = '') =>
  agents.map(
    ({ role, tenantId, tenantName }) =>
      `${verb} ${role} for tenant ${tenantId} (${quoted(tenantName)})${after}`,
  )

/** Holds an agent back, or lets it go on. */
export async function actOnAgent(
  scene: QueryContext,
  request: LanguageRequest,
  verb: 'pause' | 'resume',
): Promise<Interpretation> {
  const { said, slots, note } = request
  const vague = ambiguousTenant(request, { verb: `${verb} ${said.roles[0] ?? 'agents'}` })
  if (vague) return vague
  if (slots.unknownName !== undefined)
    return unknownName(scene, slots.unknownName, `${verb} ${said.roles[0] ?? 'agents'}`)
  const after = note === undefined ? '' : ` because ${note}`
  const agents = await meant(scene, request)
  const wanted = agents.filter(({ status }) => (status === 'paused') === (verb === 'resume'))
  const [agent] = wanted
  if (agents.length === 0)
    return clarificationAnswer('No agent that you work with fits that.', [], { unsure: true })
  if (!agent) {
    const state = verb === 'pause' ? 'paused already' : 'not paused'
    return clarificationAnswer(
      agents.length === 1 && agents[0]
        ? `${capital(nameOf(agents[0]))} is ${state}.`
        : `All of these agents are ${state}.`,
    )
  }
  if (wanted.length > 1)
    return clarificationAnswer(
      `Which agent is to ${verb === 'pause' ? 'be paused' : 'go on'}?`,
      optionsFor(wanted, verb, after),
    )
  const { role, tenantId: tenant, runningCount, queueDepth } = agent
  const about = { agent: { role, tenantId: tenant } }
  const preview = `${runningCount} at work, ${queueDepth} waiting at ${nameOf(agent)}`
  return verb === 'pause'
    ? actionAnswer(
        { name: verb, role, tenant, ...(note && { reason: note }) },
        `Hold the work of ${nameOf(agent)} back; what is under way ends`,
        preview,
        about,
      )
    : actionAnswer({ name: verb, role, tenant }, `Let ${nameOf(agent)} go on`, preview, about)
}

async function meant(scene: QueryContext, { said, slots }: LanguageRequest): Promise<ReviewerAgentState[]> {
  const tenant = said.tenants[0]?.id
  const there = (await scene.agents()).filter(
    ({ role, tenantId, status }) =>
      status !== 'terminated' &&
      (tenant === undefined || tenantId === tenant) &&
      (said.roles.length === 0 || said.roles.includes(role)),
  )
  if (said.roles.length > 0 || slots.reference === undefined) return there
  for await (const { agent } of scene.earlier())
    if (agent) return there.filter(({ role, tenantId }) => role === agent.role && tenantId === agent.tenantId)
  return there
}

/** Gives an agent of a tenant a task. */
export async function giveTask(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  const { said, slots } = request
  const prompt = promptIn(request)
  const after = prompt === undefined ? '' : `: ${prompt}`
  const dropped = outsideOf(prompt ?? '', request)
  if (dropped.length > 0 && prompt !== undefined)
    return clarificationAnswer(
      `Not all of it was understood: ${quoted(dropped.join(' '))}. Say the task behind a colon: run blog_writer for Hearth: write about rye.`,
      [],
      { unsure: true },
    )
  const roles = said.roles.length > 0 ? said.roles : makersOf(said.text)
  const [role] = roles
  if (role === undefined || roles.length > 1)
    return clarificationAnswer(
      'Which agent is to do it?',
      (roles.length > 1 ? roles : scene.known.roles).map(
        (one) => `run ${one}${said.tenants[0] ? ` for tenant ${said.tenants[0].id}` : ''}${after}`,
      ),
      { unsure: true },
    )
  const vague = ambiguousTenant(request, { verb: `run ${role}` })
  if (vague) return vague
  const there = (await scene.agents()).filter((one) => one.role === role && one.status !== 'terminated')
  const agents = said.tenants[0] ? there.filter(({ tenantId }) => tenantId === said.tenants[0]?.id) : there
  if (
    said.tenants.length === 0 &&
    slots.unknownName !== undefined &&
    said.afterNames === 0 &&
    prompt === undefined
  )
    return unknownName(scene, slots.unknownName, `run ${role}`)
  const [agent] = agents
  if (!agent)
    return clarificationAnswer(`There is no ${spaced(role)} there.`, optionsFor(there, 'run', after), {
      unsure: true,
    })
  if (agents.length > 1)
    return clarificationAnswer(
      `For which tenant is the ${spaced(role)} to work?`,
      optionsFor(agents, 'run', after),
    )
  const about = { agent: { role, tenantId: agent.tenantId } }
  if (prompt === undefined)
    return clarificationAnswer(`What is ${nameOf(agent)} to do?`, [], { ...about, missing: 'prompt' })
  const held = agent.status === 'paused' ? '; it is paused, and does it once it is resumed' : ''
  return actionAnswer(
    { name: 'run', role, prompt, tenant: agent.tenantId },
    `Give ${nameOf(agent)} a task, which costs a run${held}`,
    `The task: ${prompt}`,
    about,
  )
}

function makersOf(text: string): string[] {
  const found = makers.find(([, form]) => form.test(text))
  return found ? [found[0]] : []
}

/** The words of a request that neither name the agent nor are a part of what it is told. */
function outsideOf(prompt: string, request: LanguageRequest): string[] {
  const told = parser.readWords(prompt)
  return leftOver(request, actAccounts('run'))
    .map((at) => request.slots.claims.words[at] ?? '')
    .filter((word) => {
      const at = told.indexOf(word)
      if (at === -1) return !/^[@#]/.test(word)
      told.splice(at, 1)
      return false
    })
}

const making = /\b(write|draft|compose|produce)\b/i

/** What is to be done: in quotation marks, after the names, or from the verb up to them. */
function promptIn({ said, note }: LanguageRequest): string | undefined {
  const { raw, beforeNames, afterNames, quotes } = said
  const whole = [...raw.slice(afterNames).matchAll(/["“]([^"”]+)["”]/g)]
  if (
    quotes[0] !== undefined &&
    (whole.length > 0 || note === undefined) &&
    /^\s*[:,]?\s*["“]/.test(raw.slice(afterNames))
  )
    return quotes[0]
  const rest = bare(
    raw
      .slice(afterNames)
      .replace(/^[\s:,;–—-]*(?:(?:to|that|should|must|please|now|again|agents?)\b[\s:,–—-]*)*/i, ''),
  )
  const verb = making.exec(raw.slice(0, beforeNames))
  if (afterNames > 0 && rest !== '')
    return verb && !verb[0].includes(' ') && /^(?:an?|the|some|one|two|three|\d)\b/i.test(rest)
      ? `${capital(verb[0].toLowerCase())} ${rest}`
      : rest
  if (verb) {
    const task = raw
      .slice(verb.index, beforeNames)
      .replace(/\s+(?:for|of|at|by|with|from)(?:\s+(?:the|tenant|client|customer|our))*\s*$/i, '')
    return task.trim().split(/\s+/).length > 1 ? task.trim() : note
  }
  return note ?? quotes[0]
}
