import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { User } from '../../accounts/identity/entities.ts'
import { effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import { notify } from '../../people/notifications/notify.ts'
import { saveWake, wake } from '../runs/queue/wake.ts'
import { toComment } from './comment-queries.ts'
import {
  Activity,
  ActivityComment,
  type ActivityCommentRow,
  ActivityMention,
  type ActivityRow,
  type ActivityStatus,
  type Mention,
} from './entities.ts'
import { isBlockedByObstacle, isClosed, isWaiting, lockActivity, logActivity } from './state.ts'

export interface CommentInput {
  text: string
  type: 'comment' | 'intervention_note'
}

type Author = { id: string; name: string; type: 'human' | 'agent' }

/**
 * A person's comment. Mentions wake agents and tell people; an intervention note answers what blocks the activity, and its
 * agent goes on with it. Serves `POST …/activities/:activityId/comments`.
 * @throws DomainError `NOT_FOUND`
 */
export function saveComment(ctx: Ctx, activityId: string, input: CommentInput) {
  return transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, activityId)
    const comment = await addCommentTo(txn, activity, input, {
      id: txn.actor.id,
      name: actorName(txn),
      type: 'human',
    })
    if (input.type === 'intervention_note' && isBlockedByObstacle(activity))
      await wake(txn, activity, { reason: 'unblocked', note: { comment: input.text } })
    txn.audit({
      tenantId: activity.tenantId,
      resourceType: 'comment',
      resourceId: comment.id,
      after: { text: input.text },
    })
    return toComment(comment)
  })
}

/** Adds a comment to an activity that the caller has locked. */
export async function addCommentTo(
  txn: Transaction,
  activity: ActivityRow,
  input: CommentInput,
  author: Author,
): Promise<ActivityCommentRow> {
  const mentions = await readMentions(txn, activity, input.text)
  const comment = txn.em.create(ActivityComment, {
    id: txn.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    text: input.text,
    type: input.type,
    authorId: author.id,
    authorName: author.name,
    authorType: author.type,
    mentions,
    createdOn: txn.clock.date(),
  })
  logActivity(txn, activity, { kind: 'comment', message: `${author.name}: ${input.text.slice(0, 200)}` })
  for (const mention of mentions) {
    if (mention.type === 'agent' && mention.id !== author.id)
      await wakeMentioned(txn, activity, mention.id, input.text)
    if (mention.type === 'human') await tellMentioned(txn, activity, comment, mention.id)
  }
  return comment
}

const mentionForm = /@(agent|human):([\w-]+)/g

/** Who is mentioned beyond this is not called: each costs a look into the database. */
const mostMentions = 20

async function readMentions(txn: Transaction, activity: ActivityRow, text: string): Promise<Mention[]> {
  const found = new Map<string, Mention>()
  const named = new Map([...text.matchAll(mentionForm)].map((match) => [match[0], match] as const))
  for (const [whole, type, id] of [...named.values()].slice(0, mostMentions)) {
    if (!id) continue
    if (type === 'agent') {
      const agent = await effectiveAgent(txn, activity.tenantId, id)
      if (agent) found.set(whole, { type: 'agent', id, name: agent.name })
    } else {
      const user = await txn.em.findOne(User, { id, tenantId: activity.tenantId, status: 'active' })
      if (user) found.set(whole, { type: 'human', id, name: user.name })
    }
  }
  return [...found.values()]
}

/** What an agent may be woken for by a comment, or hear of one with its next wake; what has not begun hears of nothing yet. */
const mentionable = [
  'assigned',
  'in_progress',
  'blocked',
  'awaiting_approval',
  'awaiting_review',
  'awaiting_subtask',
] as const satisfies readonly ActivityStatus[]

/**
 * A mention wakes an agent only when it has an open activity in the same campaign: one that is running, or blocked by an
 * obstacle. One that waits for an answer or a subtask, or is paused, hears of it when it goes on.
 */
async function wakeMentioned(
  txn: Transaction,
  activity: ActivityRow,
  role: string,
  comment: string,
): Promise<void> {
  // What is closed is past talking about, but the agent may have something else open beside it.
  const isItsOwn = activity.agentRole === role && !isClosed(activity)
  const target = isItsOwn ? activity : await openWorkOf(txn, activity, role)
  if (!target || !(mentionable as readonly ActivityStatus[]).includes(target.status)) return
  const hearsLater = isWaiting(target) && !isBlockedByObstacle(target)
  await (hearsLater ? saveWake : wake)(txn, target, { reason: 'mention', note: { comment } })
}

/** The activity of a role beside this one that a mention is for, locked: the oldest that it wakes, else the oldest open one. */
async function openWorkOf(
  txn: Transaction,
  beside: ActivityRow,
  role: string,
): Promise<ActivityRow | undefined> {
  const { tenantId, campaignId } = beside
  if (!campaignId) return undefined
  const ofRole = { tenantId, campaignId, agentRole: role }
  for (const which of [
    { hold: null, status: { $in: ['assigned', 'in_progress', 'blocked'] as const } },
    { status: { $in: mentionable } },
  ]) {
    const [found] = await txn.em.find(
      Activity,
      { ...ofRole, ...which },
      { orderBy: { id: 'asc' }, limit: 1, fields: ['id'], disableIdentityMap: true },
    )
    // It may have ended while its lock was waited for, so its status is read under the lock.
    if (found) return lockActivity(txn, found.id)
  }
  return undefined
}

async function tellMentioned(
  txn: Transaction,
  activity: ActivityRow,
  comment: ActivityCommentRow,
  userId: string,
): Promise<void> {
  const { id: commentId, tenantId, createdOn, authorId, authorName, text } = comment
  if (userId !== authorId)
    txn.em.create(ActivityMention, { commentId, userId, tenantId, activityId: activity.id, createdOn })
  await notify(txn, {
    tenantId,
    to: [userId],
    type: 'campaign_update',
    title: `${authorName} mentioned you on ${activity.title}`,
    body: text.slice(0, 500),
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}
