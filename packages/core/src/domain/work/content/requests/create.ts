import { actorName, type Ctx, type Transaction } from '../../../../kernel/context.ts'
import { invalid, notFound } from '../../../../kernel/errors.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import { transact } from '../../../../kernel/transact.ts'
import { ChannelConnection } from '../../../accounts/channels/entities.ts'
import { requestApproval } from '../../approvals/request-approval.ts'
import { askToStart } from './decide.ts'
import { ContentRequest, type RequestRow } from './entities.ts'
import { getBlogRequest, getSocialRequest } from './queries.ts'
import type { BlogRequest, NewBlogRequest, NewSocialRequest, SocialRequest } from './schemas.ts'

/**
 * Takes in what a tenant's people want to read on their blog. What an admin asks for is approved by that; for a member's
 * wish the admins are asked. Serves `POST /dashboard/v1/blog-requests`.
 * @throws DomainError `NOT_FOUND` for an unknown channel; `VALIDATION_ERROR` for one that is no website
 */
export async function createBlogRequest(ctx: Ctx, input: NewBlogRequest): Promise<BlogRequest> {
  const id = await transact(ctx, async (txn) => {
    if (input.channelId !== undefined) await requireWebsite(txn, input.channelId)
    const { topic, targetKeyword, brief, channelId, priority } = input
    return add(txn, 'blog', { topic, targetKeyword, brief, channelId, priority })
  })
  return getBlogRequest(ctx, id)
}

/**
 * The same for social networks; each gets a post of its own. With `scheduleFor` it goes out then, and is made in the week before.
 * Serves `POST /dashboard/v1/social-requests`.
 * @throws DomainError `VALIDATION_ERROR` for a platform that is named twice
 */
export async function createSocialRequest(ctx: Ctx, input: NewSocialRequest): Promise<SocialRequest> {
  const twice = input.platforms.findIndex((platform, at) => input.platforms.indexOf(platform) < at)
  if (twice >= 0) throw invalid(`platforms.${twice}`, `${input.platforms[twice]} is named twice`)
  const id = await transact(ctx, (txn) => add(txn, 'social', input))
  return getSocialRequest(ctx, id)
}

type Wish = Pick<NewBlogRequest, 'topic' | 'brief' | 'priority'> &
  Partial<Pick<NewBlogRequest, 'targetKeyword' | 'channelId'>> &
  Partial<Pick<NewSocialRequest, 'platforms' | 'scheduleFor'>>

async function add(txn: Transaction, kind: RequestRow['kind'], wish: Wish): Promise<string> {
  const tenantId = oneTenant(txn)
  const isDecider = txn.actor.role !== 'member'
  const now = txn.clock.date()
  const request = txn.em.create(ContentRequest, {
    id: txn.newId(),
    tenantId,
    kind,
    topic: wish.topic,
    targetKeyword: wish.targetKeyword ?? null,
    brief: wish.brief ?? null,
    channelId: wish.channelId ?? null,
    platforms: wish.platforms ?? [],
    priority: wish.priority,
    scheduleFor: wish.scheduleFor ?? null,
    status: isDecider ? 'approved' : 'draft',
    assignee: 'unassigned',
    notes: null,
    dueDate: null,
    approvalId: null,
    blogPostId: null,
    createdById: txn.actor.id,
    createdByName: actorName(txn),
    createdOn: now,
    updatedOn: now,
  })
  if (isDecider) askToStart(txn, request)
  else request.approvalId = await askAdmins(txn, request)
  const { id, status, topic } = request
  txn.audit({ tenantId, resourceType: `${kind}_request`, resourceId: id, after: { topic, status } })
  return id
}

async function askAdmins(txn: Transaction, request: RequestRow): Promise<string> {
  const { topic, targetKeyword, brief, platforms } = request
  const lines = [
    brief,
    targetKeyword && `Keyword: ${targetKeyword}`,
    platforms.length > 0 && `For: ${platforms.join(', ')}`,
  ].filter(Boolean)
  const approval = await requestApproval(txn, {
    tenantId: request.tenantId,
    campaignId: null,
    title: `${request.kind === 'blog' ? 'Blog' : 'Social'} request: ${topic}`,
    type: 'content_direction',
    description: lines.join('\n\n') || null,
    waiting: [],
    status: 'awaiting_approval',
    askedBy: { id: txn.actor.id, name: actorName(txn), type: 'human' },
  })
  return approval.id
}

async function requireWebsite(txn: Transaction, id: string): Promise<void> {
  const field = 'channelId'
  const channel = await txn.em.findOne(ChannelConnection, { id })
  if (!channel) throw notFound('channel', { field })
  if (channel.type !== 'cms_site') throw invalid(field, 'Blog posts go to a channel of the type cms_site')
}
