import { quoted } from './plain.ts'
import { readAgents, readQueues, readTenants } from './read-agents.ts'
import { readLog, readPiece } from './read-one.ts'
import { readCost, readFeed, readStatus, readWaiting, readWork, todayOf } from './read-work.ts'
import { asked, type Reading, told } from './reading.ts'
import { isNarrowed, type Request, type Scene } from './scene.ts'
import { masked } from './said.ts'
import { spanIn } from './spans.ts'
import { ambiguousTenant, unknownName } from './targets.ts'

const help =
  /^(?:help|commands|\?)$|\bwhat (?:can|could|do) (?:you|i) (?:do|ask|say|understand|type|know)\b|\bhow (?:do|can) i\b|\bhelp me\b|\bwhat are you\b|\bhow does (?:this|it) work\b|\bwhat commands\b/
const log =
  /\b(?:what (?:has |have |had )?happen(?:ed|s)|history|timeline|log|logs|what went wrong|what became of|why (?:did|is|was|has|are))\b|\bwho (?:has )?(?:approved|rejected|changed|wrote|paused|cancelled)\b/
const cost =
  /\b(?:costs?|spen[dt]s?|spending|expensive|dearest|priciest|bill|money|usd|dollars?|paid|pay|price|expenses?|burn(?:ed|t)?)\b|\bhow much (?:did|have|has|was|were) (?:we|it|that|this|they)\b/
const queues =
  /\b(?:queues|backlogs?|agent queue|queue of (?:the |all )?(?:agents?|@role)|dead letters?)\b|\bqueue\b.*@role|@role.*\bqueue\b/
const status =
  /\b(?:status|overview|summary|how (?:is|are|goes|do) (?:things|everything|it|we|they|all|@tenant)|how (?:is|does) @tenant (?:doing|look|stand)|everything (?:ok|okay|fine|alright|well)|going on|what is up|what up|where do we stand|how do we stand|how does everything stand|state of)\b/
const feed =
  /\b(?:feed|inbox|to ?do|needs? (?:me|my|us)|should i (?:do|look|start|begin)|most urgent|urgent|what next|what is next|up next|next one|first thing|important|priorit(?:y|ies)|news|what (?:is )?new)\b/
const tenants =
  /^(?:what |which |who |show |list |how many |all |my |our |see |tell me )*(?:are |is )?(?:all |the |my |our |me )*(?:tenants|clients|customers|accounts)\b(?: (?:do i|are there|i|we|do we|have|there|mine|work|for|are|mine))*$/
const waiters =
  /\bwho(?:se)? (?:is |are )?(?:still |all |else )?(?:wait|approvals? (?:wait|are))|\b(?:which|what) (?:tenants?|clients?|customers?) (?:is |are )?(?:still )?wait/

/** Answers what is only asked: finds out which of the things that can be told is meant. */
export async function read(scene: Scene, request: Request): Promise<Reading> {
  const { said, slots } = request
  const { text } = said
  const names = said.ids.length > 0 || said.quotes.length > 0
  const isTitled = names || slots.title.length > 0
  const vague = ambiguousTenant(request, { verb: text.replaceAll(/[@#]\w+/g, '').trim() || 'status' })
  if (vague && !names) return vague
  if (help.test(text)) return tellHelp()
  const unknown = async () =>
    slots.unknownName === undefined || names
      ? undefined
      : unknownName(scene, slots.unknownName, withoutName(request))
  // When one thing expires is asked about it; what expires soon is a list.
  if (/^when\b/.test(text) && isTitled) {
    const { expiresWithin: _, ...when } = slots
    return readPiece(scene, { ...request, slots: when })
  }
  if (log.test(text) && (isTitled || slots.reference !== undefined)) return readLog(scene, request)
  if (cost.test(text) && slots.title.some((word) => !/^\d+$/.test(word)) && slots.unknownName === undefined)
    return noCostOf(slots.title)
  if (cost.test(text))
    return (
      (await unknown()) ??
      readCost(scene, request, spanIn(masked(said.raw).toLowerCase(), await todayOf(scene, request)))
    )
  if (waiters.test(text)) return (await unknown()) ?? readWaiting(scene, request)
  if (queues.test(text)) return (await unknown()) ?? readQueues(scene, request)
  if (tenants.test(text)) return readTenants(scene)
  if (/\bagents?\b/.test(text) || (said.roles.length > 0 && slots.state !== 'pending' && !isTitled))
    return (await unknown()) ?? readAgents(scene, request)
  if (names || (typeof slots.reference === 'number' && !isNarrowed(request))) return readPiece(scene, request)
  if (
    slots.reference === 'one' &&
    slots.title.length === 0 &&
    /^(?:show|see|view|display|read|it|that|this|is|has|was|give|tell|look|what (?:is|about))\b/.test(text)
  )
    return readPiece(scene, request)
  if (feed.test(text) && slots.title.length === 0) return (await unknown()) ?? readFeed(scene, request)
  if (
    slots.title.length > 0 &&
    !(isNarrowed(request) && slots.state !== undefined && said.partOfName.length === 0)
  )
    return (await titled(scene, request)) ?? asked('That was not understood.', [], { unsure: true })
  if (status.test(text)) return (await unknown()) ?? readStatus(scene, request)
  return (await unknown()) ?? lists(scene, request)
}

/** Lists in words that leave some of it out: "anything high risk?", "and Hearth?". */
async function lists(scene: Scene, request: Request): Promise<Reading> {
  const { said, slots } = request
  const isListed = /\b(?:queue|work|posts?|pieces?|texts?|work)\b/.test(said.text)
  if (slots.state !== undefined) return readWork(scene, request, slots.state)
  if (
    slots.risks.length > 0 ||
    slots.olderThan !== undefined ||
    slots.expiresWithin !== undefined ||
    slots.overdue
  )
    return readWork(scene, request, 'pending')
  if (slots.approvalType ?? slots.deliverableType) return readWork(scene, request, 'pending')
  if (/\bpaused\b/.test(said.text)) return readWork(scene, request, 'blocked')
  if (said.tenants.length > 0) return readStatus(scene, request)
  if (isListed) return readWork(scene, request, 'pending')
  return notUnderstood()
}

/** What words that nobody knows may be: a title, or the name of a tenant. */
async function titled(scene: Scene, request: Request): Promise<Reading | undefined> {
  const { slots, said } = request
  const looking =
    /^(?:show|see|view|display|read|find|search|look|what about|what is|how is|where is|is|has|tell me)\b/.test(
      said.text,
    )
  const found = await readPiece(scene, request)
  if (found.answer.type === 'data' || (looking && !found.unsure)) return found
  if (slots.unknownName !== undefined) return unknownName(scene, slots.unknownName, withoutName(request))
  if (slots.state !== undefined || isNarrowed(request)) return lists(scene, request)
  return looking || found.answer.clarification?.options ? found : notUnderstood()
}

/** The request again, without the name that nobody has. */
function withoutName({ said, slots }: Request): string {
  const name = slots.unknownName ?? ''
  const text = said.text.replace(
    new RegExp(
      `\\b(?:for|of|at|from|tenant|client|customer) ${name.replaceAll(/[^\p{L}\p{N} ']/gu, '.')}`,
      'u',
    ),
    '',
  )
  return text.replaceAll(/[@#]\w+/g, '').trim() || 'status'
}

function notUnderstood(): Reading {
  return asked(
    'That was not understood. Ask in other words, or take one of these.',
    ['what waits for me', 'status', 'what failed', 'help'],
    { unsure: true },
  )
}

function noCostOf(title: readonly string[]): Reading {
  const question = `There is no cost of ${quoted(title.join(' '))} to tell: costs are known by tenant, agent, model and campaign.`
  return asked(question, ['cost by tenant', 'cost by agent', 'cost by campaign'], { unsure: true })
}

function tellHelp(): Reading {
  const rows = [
    [
      'What waits',
      'what waits for me; high risk of Hearth; older than 2 hours; what expires today; who waits',
    ],
    [
      'How work stands',
      'status; what is running; what is blocked; what failed; what happened to "Spring post"',
    ],
    ['Agents', 'which agents are paused; queues; pause the social writer of Hearth; resume it'],
    ['Money', 'what did this month cost by agent; what did Hearth spend since monday'],
    [
      'Verdicts',
      'approve "Spring post"; approve all low risk of Hearth; reject it because the tone is off; send it back: shorter',
    ],
    [
      'Work',
      'pause it; resume it; retry the failed one; cancel it because it is not wanted; run social writer for Hearth: write about rye',
    ],
    [
      'Order',
      'escalate it because it goes out today; claim the first one; snooze it until tomorrow; dismiss it',
    ],
  ]
  return told(
    'Ask in plain words. Whatever changes something is shown as a command first, and done when you confirm it.',
    { titles: ['About', 'For example'], rows },
  )
}
