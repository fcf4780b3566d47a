import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import type { ConnectionRow } from '../../accounts/channels/entities.ts'
import { isShut } from '../../accounts/tenants/shut.ts'
import { Activity } from '../../work/activities/entities.ts'
import { isApproved } from '../../work/approvals/pending.ts'
import { Campaign } from '../../work/campaigns/entities.ts'
import { BlogPost } from '../../work/content/blog/entities.ts'
import { Output } from '../../work/content/entities.ts'
import { latestOutput } from '../../work/content/versions.ts'
import { accountKey } from './account-key.ts'
import type { HoldReason, PublicationRow } from './entities.ts'
import { spendLimits } from './limits.ts'
import { lockConnection, lockPublication, lookAt } from './lock.ts'
import type { PublishingTurn } from './perform.ts'
import { isKnownOut, leaseMs, shutMs } from './policy.ts'
import { askPerson, hold } from './settle.ts'

/** Takes an intent for one turn. @returns undefined when there is nothing to do now */
export function claimPublication(ctx: Ctx, publicationId: string): Promise<PublishingTurn | undefined> {
  return transact(ctx, async (txn) => {
    const publication = await lockPublication(txn, publicationId).catch(() => undefined)
    if (!publication) return undefined
    const now = txn.clock.now()
    const { status, nextAt, leaseUntil } = publication
    if (status === 'sending' && leaseUntil && leaseUntil.getTime() > now) {
      lookAt(txn, publication, leaseUntil)
      return undefined
    }
    const isOpen =
      status === 'scheduled' || status === 'sending' || (status === 'unknown' && !publication.asked)
    if (!isOpen || (status !== 'sending' && (nextAt === null || nextAt.getTime() > now))) return undefined
    const act = status === 'unknown' || publication.touched ? 'reconcile' : 'publish'
    const connection = await lockConnection(txn, publication.channelId)
    const connector = txn.services.connectors.get(publication.channelType)
    if (await isShut(txn, publication.tenantId)) {
      lookAt(txn, publication, new Date(now + shutMs))
      return undefined
    }
    const key = connection?.account ? accountKey(connection.account) : null
    if (
      act === 'reconcile' &&
      publication.accountKey !== key &&
      publication.accountKey !== null &&
      key !== null
    ) {
      await askPerson(txn, publication, 'The channel is connected to another account now')
      return undefined
    }
    const isDecided = act === 'publish' && !isKnownOut(txn, publication)
    const obstacle = await obstacleOf(txn, publication, connection, isDecided ? publication : undefined)
    if ('reason' in obstacle || !connection || !connector) {
      await hold(txn, publication, 'reason' in obstacle ? obstacle.reason : 'channel_disconnected')
      return undefined
    }
    const until = act === 'publish' && spendLimits(connection, connector.capabilities.limits, now)
    if (until) {
      publication.status = 'scheduled'
      lookAt(txn, publication, until)
      return undefined
    }
    publication.status = act === 'publish' ? 'sending' : 'unknown'
    if (act === 'publish' && key !== null) {
      // What was prepared at one account is not at another.
      if (publication.accountKey !== null && publication.accountKey !== key) publication.progress = {}
      publication.accountKey = key
    }
    publication.attempt += 1
    publication.leaseUntil = new Date(now + leaseMs)
    // Should this process die, another turn begins when the lease ends.
    lookAt(txn, publication, publication.leaseUntil)
    return { publication, connection, connector, act, heard: {}, inDoubt: false, ...obstacle }
  })
}

/**
 * What keeps a text from going out: only bytes that a verdict covers do.
 * @param planned what is to go out; undefined for what has been sent already, whatever has become of its text since
 */
export async function obstacleOf(
  txn: Transaction,
  { activityId, outputId }: PublicationRow,
  connection: ConnectionRow | null,
  planned?: { outputId: string | null; contentHash: string | null },
): Promise<{ reason: HoldReason } | Pick<PublishingTurn, 'text' | 'output' | 'slug'>> {
  if (connection?.status !== 'connected' || connection.tokensSealed === null)
    return { reason: 'channel_disconnected' }
  const activity = await txn.em.findOne(Activity, { id: activityId })
  const output = await latestOutput(txn, activityId)
  if (!activity || !output) return { reason: 'content_changed' }
  const post = await txn.em.findOne(BlogPost, { activityId })
  const sent = planned ? output : ((await txn.em.findOne(Output, { id: outputId })) ?? output)
  const found = { text: sent.text, output: sent, slug: post?.slug ?? null }
  if (!planned) return found
  if (output.id !== planned.outputId || sha256Hex(output.text) !== planned.contentHash)
    return { reason: 'content_changed' }
  if (!(await isApproved(txn, activity, output))) return { reason: 'not_approved' }
  return (await isStopped(txn, activity.campaignId)) ? { reason: 'campaign_stopped' } : found
}

/** Anyone who stops a campaign does not want its pieces to go out. */
async function isStopped(txn: Transaction, campaignId: string | null): Promise<boolean> {
  if (campaignId === null) return false
  const campaign = await txn.em.findOne(Campaign, { id: campaignId })
  return campaign?.status === 'paused' || campaign?.status === 'archived'
}
