import { actorName } from '../actor.ts'
import { effectiveAgent } from '../agents/effective-queries.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { User } from '../identity/entities.ts'
import { notify } from '../notifications/notify.ts'
import { keep, wake } from '../runs/wake.ts'
import {
  Activity,
  ActivityComment,
  ActivityMention,
  type ActivityCommentRow,
  type ActivityRow,
  type ActivityStatus,
  type Mention,
} from './entities.ts'
import { logActivity } from './log.ts'
import { isBlockedByObstacle, isClosed, isWaiting, lockActivity } from './state.ts'

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
export function addComment(ctx: Ctx, activityId: string, input: CommentInput) {
  return command(ctx, async (cmd) => {
    const activity = await lockActivity(cmd, activityId)
    const comment = await addCommentTo(cmd, activity, input, {
      id: cmd.actor.id,
      name: actorName(cmd),
      type: 'human',
    })
    if (input.type === 'intervention_note' && isBlockedByObstacle(activity))
      await wake(cmd, activity, { reason: 'unblocked', note: { comment: input.text } })
    cmd.audit({
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
  cmd: Command,
  activity: ActivityRow,
  input: CommentInput,
  author: Author,
): Promise<ActivityCommentRow> {
  const mentions = await readMentions(cmd, activity, input.text)
  const comment = cmd.em.create(ActivityComment, {
    id: cmd.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    text: input.text,
    type: input.type,
    authorId: author.id,
    authorName: author.name,
    authorType: author.type,
    mentions,
    createdOn: cmd.clock.date(),
  })
  logActivity(cmd, activity, { kind: 'comment', message: `${author.name}: ${input.text.slice(0, 200)}` })
  for (const mention of mentions) {
    if (mention.type === 'agent' && mention.id !== author.id)
      await wakeMentioned(cmd, activity, mention.id, input.text)
    if (mention.type === 'human') await tellMentioned(cmd, activity, comment, mention.id)
  }
  return comment
}

const mentionForm = /@(agent|human):([\w-]+)/g

/** Who is mentioned beyond this is not called: each costs a look into the database. */
const mostMentions = 20

async function readMentions(cmd: Command, activity: ActivityRow, text: string): Promise<Mention[]> {
  const found = new Map<string, Mention>()
  const named = new Map([...text.matchAll(mentionForm)].map((match) => [match[0], match] as const))
  for (const [whole, type, id] of [...named.values()].slice(0, mostMentions)) {
    if (!id) continue
    if (type === 'agent') {
      const agent = await effectiveAgent(cmd, activity.tenantId, id)
      if (agent) found.set(whole, { type: 'agent', id, name: agent.name })
    } else {
      const user = await cmd.em.findOne(User, { id, tenantId: activity.tenantId, status: 'active' })
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
 * A mention wakes an agent only when it has an open activity in the same campaign: one that is at work, or blocked by an
 * obstacle. One that waits for an answer or a subtask, or is paused, hears of it when it goes on.
 */
async function wakeMentioned(
  cmd: Command,
  activity: ActivityRow,
  role: string,
  comment: string,
): Promise<void> {
  // What is closed is past talking about, but the agent may have something else open beside it.
  const isItsOwn = activity.agentRole === role && !isClosed(activity)
  const target = isItsOwn ? activity : await openWorkOf(cmd, activity, role)
  if (!target || !(mentionable as readonly ActivityStatus[]).includes(target.status)) return
  const hearsLater = isWaiting(target) && !isBlockedByObstacle(target)
  await (hearsLater ? keep : wake)(cmd, target, { reason: 'mention', note: { comment } })
}

/** The activity of a role beside this one that a mention is for, locked: the oldest that it wakes, else the oldest open one. */
async function openWorkOf(cmd: Command, beside: ActivityRow, role: string): Promise<ActivityRow | undefined> {
  const { tenantId, campaignId } = beside
  if (!campaignId) return undefined
  const ofRole = { tenantId, campaignId, agentRole: role }
  for (const which of [
    { hold: null, status: { $in: ['assigned', 'in_progress', 'blocked'] as const } },
    { status: { $in: mentionable } },
  ]) {
    const [found] = await cmd.em.find(
      Activity,
      { ...ofRole, ...which },
      { orderBy: { id: 'asc' }, limit: 1, fields: ['id'], disableIdentityMap: true },
    )
    // It may have ended while its lock was waited for, so its status is read under the lock.
    if (found) return lockActivity(cmd, found.id)
  }
  return undefined
}

async function tellMentioned(
  cmd: Command,
  activity: ActivityRow,
  comment: ActivityCommentRow,
  userId: string,
): Promise<void> {
  const { id: commentId, tenantId, createdOn, authorId, authorName, text } = comment
  if (userId !== authorId)
    cmd.em.create(ActivityMention, { commentId, userId, tenantId, activityId: activity.id, createdOn })
  await notify(cmd, {
    tenantId,
    to: [userId],
    type: 'campaign_update',
    title: `${authorName} mentioned you on ${activity.title}`,
    body: text.slice(0, 500),
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}

function toComment(row: ActivityCommentRow) {
  return {
    id: row.id,
    text: row.text,
    type: row.type,
    author: { id: row.authorId, name: row.authorName, type: row.authorType },
    mentions: row.mentions,
    createdOn: row.createdOn,
  }
}
