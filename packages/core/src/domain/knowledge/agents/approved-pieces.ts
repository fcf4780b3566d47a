import { z } from 'zod'
import type { Ctx } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { defineJob } from '../../../kernel/jobs.ts'
import { preview } from '../../../kernel/text.ts'
import { transact } from '../../../kernel/transact.ts'
import { requireRoom } from '../../accounts/tenants/quota-queries.ts'
import { Activity } from '../../work/activities/entities.ts'
import type { DeliverableType } from '../../work/campaigns/entities.ts'
import { titleOf } from '../../work/content/blog/markdown.ts'
import { Output } from '../../work/content/entities.ts'
import type { TenantKnowledge } from '../../work/sources/ports.ts'
import { Dataset, KnowledgeFile } from '../datasets/entities.ts'
import { fileKey } from '../datasets/files.ts'
import { replaceFile } from '../datasets/replace.ts'

export const keepPieceJob = defineJob(
  'knowledge.keep_piece',
  z.object({ activityId: z.string(), outputId: z.string() }),
  // Verdicts come in bursts, and this can wait.
  { cap: 1 },
)

/** What tells readers something of the client; audits, reports and letters to strangers do not. */
const keptTypes: ReadonlySet<DeliverableType> = new Set([
  'blog_post',
  'social_post',
  'gbp_post',
  'ad_copy',
  'email_newsletter',
])

/** See `TenantKnowledge.keepApproved`: a piece of a kind that is published, once it is finished. */
export const keepApproved: TenantKnowledge['keepApproved'] = (txn, activity, output) => {
  const { deliverableType: type, isFinalStep, tenantId } = activity
  if (!isFinalStep || type === null || !keptTypes.has(type)) return
  txn.enqueue(keepPieceJob, {
    tenantId,
    payload: { activityId: activity.id, outputId: output.id },
  })
}

/**
 * Handles `knowledge.keep_piece` jobs: puts an approved text among the client's documents. The file of a piece has the piece's id, so
 * that a later version takes the place of the one before.
 */
export async function keepPiece(
  ctx: Ctx,
  { activityId, outputId }: { activityId: string; outputId: string },
): Promise<void> {
  const found = await transact(ctx, async (txn) => {
    const activity = await txn.em.findOne(Activity, { id: activityId })
    const output = await txn.em.findOne(Output, { id: outputId, activityId })
    if (!activity || !output) return undefined
    // A job that was tried again must not put an older text in place of a newer one.
    const known = await txn.em.findOne(KnowledgeFile, { id: activityId })
    if (known?.publishedAt && known.publishedAt >= output.createdOn) return undefined
    const { tenantId } = activity
    const dataset = await txn.em.findOne(Dataset, { tenantId, slug: 'client-documents' })
    return dataset && { tenantId, datasetId: dataset.id, text: output.text, approvedOn: output.createdOn }
  })
  if (!found) return
  const { tenantId, datasetId, text, approvedOn } = found
  const bytes = Buffer.from(text)
  try {
    await requireRoom(ctx, tenantId, bytes.byteLength)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    ctx.log.warn('an approved piece was not kept in the knowledge base', {
      activityId,
      reason: error.message,
    })
    return
  }
  const { size, sha256 } = await ctx.services.blobs.put(fileKey({ tenantId, id: activityId }), bytes)
  await transact(ctx, (txn) =>
    replaceFile(txn, {
      id: activityId,
      tenantId,
      datasetId,
      fileName: `${preview(titleOf(text), 120).replace(/\.$/, '')}.md`,
      mimeType: 'text/markdown',
      fileSizeBytes: size,
      sha256,
      source: 'published_content',
      url: null,
      publishedAt: approvedOn,
    }),
  )
}
