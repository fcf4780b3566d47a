import type { ChannelStatus } from '../../../accounts/channels/entities.ts'
import { type Engagement, engagementScore } from './engagement.ts'
import { type Advice, type ChannelHealth, healthParts } from './schemas.ts'

const dayMs = 86_400_000
/** What is counted lies within so many days. */
export const countedDays = 30
/** Consents that end within so many days lower the score, and are said. */
const consentDays = 14
/** Engagement up to here is said: half of what it was. */
const unheardScore = 25
/** Silence until here is none, and from there on the channel counts as silent, days. */
const quiet = { from: 7, to: 60, said: 21 }

/** What is known of a channel. */
export interface ChannelFacts {
  status: ChannelStatus
  accountName: string | null
  /** When its consent ends; null where it is renewed, or does not end. */
  consentEndsAt: Date | null
  waitsUntil: Date | null
  /** The platform refuses the figures of posts since then. */
  figuresRefusedAt: Date | null
  connectedAt: Date
  /** Pieces go out on such a channel. */
  publishes: boolean
  lastPublishedAt: Date | null
  published: number
  failed: number
  held: number
  unanswered: number
  /** Newer texts that were to take the place of a post that is out. */
  failedChanges: number
  heldChanges: number
  /** Held because a person has to choose among several accounts. */
  unchosen: number
  unchosenChanges: number
  /** Figures of a website are read from such a channel, and no website is chosen. */
  unread: boolean
  /** Undefined where too little is known. */
  engagement: Engagement | undefined
}

type Scored = Pick<ChannelHealth, 'healthScore' | 'breakdown' | 'measured'>

/**
 * How well a channel is, from facts alone. Completeness is whether it can be used, and for how much longer; activity how lately it was
 * used and how much of it came to something; engagement how much people do with its posts, beside its own earlier ones. What cannot be
 * known of a channel is not measured, and does not count.
 */
export function scoreOf(facts: ChannelFacts, now: Date): Scored {
  const { publishes, engagement } = facts
  const scores: Partial<Scored['breakdown']> = {
    completeness: completenessOf(facts, now),
    ...(publishes && { activityScore: activityOf(facts, now) }),
    ...(publishes && engagement && { engagement: engagementScore(engagement) }),
  }
  const measured = healthParts.filter((part) => scores[part] !== undefined)
  const mean = measured.reduce((sum, part) => sum + (scores[part] ?? 0), 0) / measured.length
  return {
    healthScore: facts.status === 'connected' ? Math.round(mean) : 0,
    breakdown: { completeness: 0, activityScore: 0, engagement: 0, ...scores },
    measured,
  }
}

function completenessOf(facts: ChannelFacts, now: Date): number {
  if (facts.status !== 'connected') return 0
  const { consentEndsAt, accountName, unchosen, unchosenChanges, unread } = facts
  const life = consentEndsAt ? daysBetween(now, consentEndsAt) / consentDays : 1
  const known = accountName !== null && unchosen + unchosenChanges === 0 && !unread
  return Math.round(60 + 30 * clamp(life) + (known ? 10 : 0))
}

function activityOf(facts: ChannelFacts, now: Date): number {
  const { published, failed, failedChanges, unanswered } = facts
  const bad = failed + failedChanges + unanswered
  const success = published + bad === 0 ? 1 : published / (published + bad)
  const silent = (silentDays(facts, now) - quiet.from) / (quiet.to - quiet.from)
  return Math.round(100 * (1 - clamp(silent)) * success)
}

/** Days since something went out; a channel that is new is given time. */
function silentDays({ lastPublishedAt, connectedAt }: ChannelFacts, now: Date): number {
  return daysBetween(lastPublishedAt && lastPublishedAt > connectedAt ? lastPublishedAt : connectedAt, now)
}

const daysBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / dayMs
const clamp = (share: number) => Math.min(1, Math.max(0, share))

/** What people can do about a channel, the most urgent first. */
export function adviceOn(facts: ChannelFacts, now: Date): Advice[] {
  const { status, consentEndsAt, waitsUntil, unchosen, unchosenChanges, unanswered } = facts
  const advice: Advice[] = []
  if (status !== 'connected') advice.push({ code: 'reconnect', text: reconnectWords[status] })
  else if (consentEndsAt && daysBetween(now, consentEndsAt) <= consentDays)
    advice.push({
      code: 'consent_ends',
      text: 'The consent ends soon and cannot be renewed without you: connect the channel again',
      until: consentEndsAt,
    })
  if (unchosen + unchosenChanges > 0)
    advice.push({
      code: 'choose_account',
      text: 'The consent opens several accounts: choose the one to publish to',
    })
  if (status === 'connected' && facts.unread)
    advice.push({
      code: 'choose_account',
      text: 'Nothing is read yet: choose the website whose figures are read',
    })
  if (unanswered > 0)
    advice.push({
      code: 'answer',
      text: `Say of ${posts(unanswered)} whether it is there: the platform’s answer was lost`,
    })
  advice.push(...stoppedAdvice(facts))
  if (waitsUntil && waitsUntil > now)
    advice.push({
      code: 'waiting',
      text: 'The platform’s limit is reached: what waits goes out later by itself',
      until: waitsUntil,
    })
  if (status === 'connected' && facts.publishes && silentDays(facts, now) >= quiet.said)
    advice.push({ code: 'quiet', text: 'Nothing has been published for three weeks: schedule a piece' })
  if (status === 'connected' && facts.engagement && engagementScore(facts.engagement) <= unheardScore)
    advice.push({
      code: 'unheard',
      text: 'People do at most half as much with recent posts as with those before: look at which ones went well',
    })
  if (status === 'connected' && facts.figuresRefusedAt)
    advice.push({
      code: 'figures_refused',
      text: 'The consent does not permit the figures of posts to be read: connect the channel again, and agree to statistics there',
    })
  return advice
}

/** What to do about what does not go on by itself, and not only because an account has to be chosen. */
function stoppedAdvice(facts: ChannelFacts): Advice[] {
  const { failed, failedChanges } = facts
  const held = facts.held - facts.unchosen
  const heldChanges = facts.heldChanges - facts.unchosenChanges
  const advice: Advice[] = []
  if (held > 0) advice.push({ code: 'held', text: `Look at ${posts(held)} that is held, and let it go on` })
  if (heldChanges > 0)
    advice.push({ code: 'held', text: `Look at ${changes(heldChanges)} that is held, and let it go on` })
  if (failed > 0)
    advice.push({
      code: 'failures',
      text: `Look at ${posts(failed)} that could not be published, and retry it`,
    })
  if (failedChanges > 0)
    advice.push({
      code: 'failures',
      text: `Look at ${changes(failedChanges)} that could not be sent, and retry or drop it`,
    })
  return advice
}

const reconnectWords: Record<Exclude<ChannelStatus, 'connected'>, string> = {
  expired: 'The consent has ended: connect the channel again',
  error: 'The platform refuses the account: connect the channel again',
  disconnected: 'The channel was disconnected: connect it again to use it',
}

const changes = (n: number) =>
  n === 1 ? 'one change of a published post' : `${n} changes of published posts, each`
const posts = (n: number) => (n === 1 ? 'one publication' : `${n} publications, each`)
