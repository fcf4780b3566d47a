import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { listChannels } from '../../../accounts/channels/queries.ts'
import type { ChannelList } from '../../../accounts/channels/schemas.ts'
import { accountDaysOf } from '../account-days/queries.ts'
import { engagementOf } from './engagement-queries.ts'
import { factsOf } from './queries.ts'
import type { ChannelHealth } from './schemas.ts'
import { adviceOn, countedDays, scoreOf } from './score.ts'

/**
 * How well a channel is, why, and what to do. It is computed when it is asked for. Serves
 * `GET /dashboard/v1/channels/:channelId/health`.
 * @throws DomainError `NOT_FOUND`
 */
export async function channelHealth(ctx: Ctx, channelId: string): Promise<ChannelHealth> {
  const known = (await factsOf(ctx, since(ctx), channelId)).get(channelId)
  if (!known) throw notFound('channel')
  const engagement = known.publishes ? await engagementOf(ctx, channelId) : undefined
  const facts = { ...known, engagement }
  const now = ctx.clock.date()
  const { published, failed, failedChanges, held, heldChanges, unanswered } = facts
  const { consentEndsAt, waitsUntil, figuresRefusedAt, lastPublishedAt } = facts
  return {
    channelId,
    ...scoreOf(facts, now),
    facts: {
      published,
      failed: failed + failedChanges,
      held: held + heldChanges,
      unanswered,
      consentEndsAt,
      waitsUntil: waitsUntil && waitsUntil > now ? waitsUntil : null,
      figuresRefusedAt,
      engagement: engagement ?? null,
    },
    advice: adviceOn(facts, now),
    accountDays: await accountDaysOf(ctx, channelId),
    ...(lastPublishedAt && { lastPublishedAt }),
    computedAt: now,
  }
}

/** The channels of a tenant with how well they are. Serves `GET /dashboard/v1/channels` and `GET /mobile/v1/channels`. */
export async function listChannelsWithHealth(ctx: Ctx): Promise<ChannelList> {
  const { data } = await listChannels(ctx)
  const facts = await factsOf(ctx, since(ctx))
  const now = ctx.clock.date()
  const scored = data.map(async (channel) => {
    const known = facts.get(channel.id)
    if (!known) return channel
    const engagement = known.publishes ? await engagementOf(ctx, channel.id) : undefined
    return { ...channel, healthScore: scoreOf({ ...known, engagement }, now).healthScore }
  })
  return { data: await Promise.all(scored) }
}

const since = ({ clock }: Ctx) => new Date(clock.now() - countedDays * 86_400_000)
