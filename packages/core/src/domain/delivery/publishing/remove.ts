import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { Unretryable } from '../../../platform/jobs/jobs.ts'
import { withAccess } from '../../accounts/channels/access.ts'
import { PlatformError } from '../../accounts/channels/platform-error.ts'
import type { ActivityRow } from '../../work/activities/entities.ts'
import { lockActivity, logActivity } from '../../work/activities/state.ts'
import { BlogPost } from '../../work/content/blog/entities.ts'
import { syncPost } from '../../work/content/blog/sync.ts'
import { contentRemoved } from '../../work/content/publishing-events.ts'
import { requireAccount } from './account-key.ts'
import { noChange } from './change/plan.ts'
import { Publication } from './entities.ts'
import { lockPublication } from './lock.ts'
import { rested } from './settle.ts'

/** Takes a post back that a person has withdrawn: the job `publish.remove`. Doing it twice takes it back once. */
export async function removePublished(
  ctx: Ctx,
  { publicationId }: { publicationId: string },
  signal: AbortSignal,
): Promise<void> {
  const publication = await transact(ctx, (txn) => txn.em.findOne(Publication, { id: publicationId }))
  if (publication?.status !== 'published' || !publication.externalId) return
  const { externalId, url, channelId, channelType } = publication
  const connector = ctx.services.connectors.get(channelType)
  if (!connector?.remove) return
  try {
    await withAccess(ctx, channelId, { rules: connector.rules, signal }, async (call) => {
      requireAccount(publication, call.account, 'delete the post there')
      return connector.remove?.(call, { externalId, url })
    })
  } catch (error) {
    const lasting = error instanceof PlatformError && error.kind !== 'transient' && error.kind !== 'quota'
    if (!lasting) throw error
    await transact(ctx, async (txn) => {
      const row = await lockPublication(txn, publicationId)
      row.error = error.message
      const { activityId: id, tenantId } = row
      const message = `Not taken back: ${error.message}`
      logActivity(txn, { id, tenantId }, { kind: 'publishing', message, data: { publicationId } })
    })
    throw new Unretryable(error.message)
  }
  await transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, publication.activityId)
    const row = await lockPublication(txn, publicationId)
    if (row.status !== 'published') return
    const { tenantId, activityId, channelId: channel, title } = row
    Object.assign(row, rested, noChange, { status: 'removed', updatedOn: txn.clock.date() })
    await unpublishPost(txn, activity, publicationId)
    logActivity(
      txn,
      { id: activityId, tenantId },
      { kind: 'publishing', message: 'Taken back', data: { publicationId } },
    )
    txn.audit({
      tenantId,
      resourceType: 'publication',
      resourceId: publicationId,
      action: 'publication.removed',
      after: { status: 'removed' },
    })
    txn.emit(contentRemoved, {
      tenantId,
      subject: activityId,
      data: { publicationId, activityId, channelId: channel, channelType, title },
    })
  })
}

/**
 * The blog post of a piece that was taken back: it is published as long as it is out elsewhere; else it is what its newest version and
 * the approvals of that version say. The caller holds the activity's lock.
 */
async function unpublishPost(txn: Transaction, activity: ActivityRow, publicationId: string): Promise<void> {
  const { id: activityId } = activity
  const post = await txn.em.findOne(BlogPost, { activityId })
  if (post?.status !== 'published') return
  const elsewhere = await txn.em.findOne(
    Publication,
    { activityId, status: 'published', id: { $ne: publicationId } },
    { orderBy: { publishedAt: 'asc' } },
  )
  post.publishedAt = elsewhere?.publishedAt ?? null
  post.updatedOn = txn.clock.date()
  if (elsewhere) return
  post.status = 'client_approved'
  await syncPost(txn, activity)
  txn.audit({
    tenantId: post.tenantId,
    resourceType: 'blog_post',
    resourceId: post.id,
    action: 'blog_post.unpublished',
    before: { status: 'published' },
    after: { status: post.status, version: post.version },
  })
}
