import { warningMs } from '../approvals/policy.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { isDismissable, longestSnoozeMs } from './policy.ts'
import { type Found, findItem, keepMark } from './queries.ts'
import type { PutAside } from './schemas.ts'

/**
 * Takes an item out of the caller's feed until something new happens to its subject; what expires is back when it is about
 * to. Nobody else's feed changes. Serves `POST …/feed/:itemId/dismiss`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for an approval of high risk
 */
export function dismissItem(ctx: Ctx, itemId: string): Promise<PutAside> {
  return command(ctx, async (cmd) => {
    const found = await itemOf(cmd, itemId)
    if (!isDismissable({ riskLevel: found.item.riskLevel ?? null }))
      throw new DomainError('UNPROCESSABLE', 'What is of high risk can be snoozed, not dismissed')
    return putAside(cmd, found, warningOf(cmd, found))
  })
}

/**
 * Takes an item out of the caller's feed for a while, or until something new happens to its subject; what expires is back
 * when it is about to. Serves `POST …/feed/:itemId/snooze`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` when `until` is not ahead, after the deadline, or later than 30 days
 */
export function snoozeItem(ctx: Ctx, itemId: string, { until }: { until: Date }): Promise<PutAside> {
  return command(ctx, async (cmd) => {
    const found = await itemOf(cmd, itemId)
    const { deadline } = found.item
    const now = cmd.clock.now()
    if (until.getTime() <= now) throw invalid('until', 'Name an instant that is still to come')
    if (until.getTime() > now + longestSnoozeMs)
      throw invalid('until', 'Nothing can be snoozed for more than 30 days')
    if (deadline && until >= deadline)
      throw invalid('until', `It has to be decided by ${deadline.toISOString()}`)
    const warning = warningOf(cmd, found)
    return putAside(cmd, found, warning && warning < until ? warning : until)
  })
}

async function itemOf(cmd: Command, itemId: string): Promise<Found> {
  const found = await findItem(cmd, cmd.tx, itemId)
  if (!found) throw notFound('item of the feed')
  return found
}

/** When people are warned of the deadline, as long as they were not. */
function warningOf(cmd: Command, { item: { deadline } }: Found): Date | null {
  const warning = deadline && new Date(deadline.getTime() - warningMs)
  return warning && warning.getTime() > cmd.clock.now() ? warning : null
}

async function putAside(cmd: Command, { item, news }: Found, returnsAt: Date | null): Promise<PutAside> {
  await keepMark(cmd.tx, {
    userId: cmd.actor.id,
    itemId: item.id,
    tenantId: item.tenantId,
    seenNews: news,
    returnsAt,
    markedOn: cmd.clock.date(),
  })
  cmd.audit({
    tenantId: item.tenantId,
    resourceType: 'feed_item',
    resourceId: item.id,
    after: { kind: item.kind, hiddenUntil: returnsAt?.toISOString() ?? null },
  })
  return { itemId: item.id, hiddenUntil: returnsAt }
}
