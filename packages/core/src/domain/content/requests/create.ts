import { actorName } from '../../actor.ts'
import { ask } from '../../approvals/ask.ts'
import { ChannelConnection } from '../../channels/entities.ts'
import { command } from '../../command.ts'
import type { Command, Ctx } from '../../context.ts'
import { invalid, notFound } from '../../errors.ts'
import { oneTenant } from '../../scope.ts'
import { ContentRequest, type RequestRow } from './entities.ts'
import { getBlogRequest, getSocialRequest } from './queries.ts'
import type { BlogRequest, NewBlogRequest, NewSocialRequest, SocialRequest } from './schemas.ts'
import { askToStart } from './waiting.ts'

/**
 * Takes in what a tenant's people want to read on their blog. What an admin asks for is approved by that; for a member's
 * wish the admins are asked. Serves `POST /dashboard/v1/blog-requests`.
 * @throws DomainError `NOT_FOUND` for an unknown channel; `VALIDATION_ERROR` for one that is no website
 */
export async function createBlogRequest(ctx: Ctx, input: NewBlogRequest): Promise<BlogRequest> {
  const id = await command(ctx, async (cmd) => {
    if (input.channelId !== undefined) await requireWebsite(cmd, input.channelId)
    const { topic, targetKeyword, brief, channelId, priority } = input
    return add(cmd, 'blog', { topic, targetKeyword, brief, channelId, priority })
  })
  return getBlogRequest(ctx, id)
}

/**
 * The same for social networks; each gets a post of its own. With `scheduleFor` nothing is made before that instant.
 * Serves `POST /dashboard/v1/social-requests`.
 * @throws DomainError `VALIDATION_ERROR` for a platform that is named twice
 */
export async function createSocialRequest(ctx: Ctx, input: NewSocialRequest): Promise<SocialRequest> {
  const twice = input.platforms.findIndex((platform, at) => input.platforms.indexOf(platform) < at)
  if (twice >= 0) throw invalid(`platforms.${twice}`, `${input.platforms[twice]} is named twice`)
  const id = await command(ctx, (cmd) => add(cmd, 'social', input))
  return getSocialRequest(ctx, id)
}

type Wish = Pick<NewBlogRequest, 'topic' | 'brief' | 'priority'> &
  Partial<Pick<NewBlogRequest, 'targetKeyword' | 'channelId'>> &
  Partial<Pick<NewSocialRequest, 'platforms' | 'scheduleFor'>>

async function add(cmd: Command, kind: RequestRow['kind'], wish: Wish): Promise<string> {
  const tenantId = oneTenant(cmd)
  const isDecider = cmd.actor.role !== 'member'
  const now = cmd.clock.date()
  const request = cmd.em.create(ContentRequest, {
    id: cmd.newId(),
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
    createdById: cmd.actor.id,
    createdByName: actorName(cmd),
    createdOn: now,
    updatedOn: now,
  })
  if (isDecider) askToStart(cmd, request)
  else request.approvalId = await askAdmins(cmd, request)
  const { id, status, topic } = request
  cmd.audit({ tenantId, resourceType: `${kind}_request`, resourceId: id, after: { topic, status } })
  return id
}

async function askAdmins(cmd: Command, request: RequestRow): Promise<string> {
  const { topic, targetKeyword, brief, platforms } = request
  const lines = [
    brief,
    targetKeyword && `Keyword: ${targetKeyword}`,
    platforms.length > 0 && `For: ${platforms.join(', ')}`,
  ].filter(Boolean)
  const approval = await ask(cmd, {
    tenantId: request.tenantId,
    campaignId: null,
    title: `${request.kind === 'blog' ? 'Blog' : 'Social'} request: ${topic}`,
    type: 'content_direction',
    description: lines.join('\n\n') || null,
    waiting: [],
    status: 'awaiting_approval',
    askedBy: { id: cmd.actor.id, name: actorName(cmd), type: 'human' },
  })
  return approval.id
}

async function requireWebsite(cmd: Command, id: string): Promise<void> {
  const field = 'channelId'
  const channel = await cmd.em.findOne(ChannelConnection, { id })
  if (!channel) throw notFound('channel', { field })
  if (channel.type !== 'cms_site') throw invalid(field, 'Blog posts go to a channel of the type cms_site')
}
