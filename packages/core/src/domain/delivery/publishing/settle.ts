import type { Transaction } from '../../../kernel/context.ts'
import { channelNames } from '../../accounts/channels/entities.ts'
import { type PlatformError, safeWords } from '../../accounts/channels/platform-error.ts'
import { notify } from '../../people/notifications/notify.ts'
import { logActivity } from '../../work/activities/state.ts'
import { BlogPost } from '../../work/content/blog/entities.ts'
import { contentPublished, publicationStopped } from '../../work/content/publishing-events.ts'
import type { Published } from './connector.ts'
import type { HoldReason, PublicationRow } from './entities.ts'
import { lockConnection, lookAt, lookAtChange } from './lock.ts'
import { mostTurns, waitMs } from './policy.ts'

/** Why an intent or a change is held, for people. */
export const holdWords: Record<HoldReason, string> = {
  content_changed: 'The text has changed since it was approved for publishing',
  not_approved: 'No verdict covers this text',
  channel_disconnected: 'The channel is not connected',
  account_choice: 'The consent opens several accounts: choose the one to publish to',
  campaign_stopped: 'The campaign is paused or archived',
}

/** Stops an intent until a person has seen to it. */
export async function hold(txn: Transaction, publication: PublicationRow, reason: HoldReason): Promise<void> {
  // What may have gone out already stays in doubt.
  if (publication.touched) return askPerson(txn, publication, holdWords[reason])
  Object.assign(publication, {
    status: 'held',
    holdReason: reason,
    error: holdWords[reason],
    errorKind: null,
  })
  const isTold = await isToldOfChannel(txn, publication, reason)
  await stop(txn, publication, 'held', `Not published: ${holdWords[reason]}`, isTold)
}

/** Anyone who is told that the channel has to be connected again is not told so for each piece. */
export async function isToldOfChannel(
  txn: Transaction,
  { channelId }: PublicationRow,
  reason: HoldReason,
): Promise<boolean> {
  const connection = await lockConnection(txn, channelId)
  return reason === 'channel_disconnected' && connection?.status === 'expired'
}

/** Writes down that a piece is out. */
export async function settlePublished(
  txn: Transaction,
  publication: PublicationRow,
  { externalId, url }: Published,
): Promise<void> {
  const now = txn.clock.date()
  const { tenantId, activityId, channelId, channelType, title } = publication
  Object.assign(publication, {
    ...rested,
    status: 'published',
    externalId,
    url,
    publishedAt: now,
    updatedOn: now,
  })
  const post = await txn.em.findOne(BlogPost, { activityId })
  if (post) Object.assign(post, { status: 'published', publishedAt: now, updatedOn: now })
  logActivity(
    txn,
    { id: activityId, tenantId },
    {
      kind: 'published',
      message: `Published on ${channelNames[channelType]}${url ? `: ${url}` : ''}`,
      data: { publicationId: publication.id },
    },
  )
  record(txn, publication)
  // A verdict covered it while this one was being sent.
  if (publication.changeStatus === 'waiting') lookAtChange(txn, publication, now)
  txn.emit(contentPublished, {
    tenantId,
    subject: activityId,
    data: { publicationId: publication.id, activityId, channelId, channelType, title, ...(url && { url }) },
  })
}

/** What no longer holds once an intent has come to rest. */
export const rested = {
  nextAt: null,
  leaseUntil: null,
  touched: false,
  failures: 0,
  asked: false,
  holdReason: null,
  error: null,
  errorKind: null,
}

/** What becomes of an intent whose turn ended with a refusal, or in silence. */
export async function settleFailure(
  txn: Transaction,
  publication: PublicationRow,
  { kind, message }: Pick<PlatformError, 'kind' | 'message'>,
): Promise<void> {
  const now = txn.clock.now()
  Object.assign(publication, { errorKind: kind, error: message, leaseUntil: null })
  publication.failures += 1
  if (kind === 'unknown' || kind === 'duplicate' || publication.touched) {
    Object.assign(publication, { status: 'unknown', touched: true, checks: 0 })
    if (publication.failures >= mostTurns) return askPerson(txn, publication, message)
    return lookAt(txn, publication, new Date(now + waitMs(1)))
  }
  if (kind === 'policy' || kind === 'validation') return fail(txn, publication)
  if (publication.failures >= mostTurns) return fail(txn, publication)
  publication.status = 'scheduled'
  lookAt(txn, publication, new Date(now + waitMs(publication.failures)))
}

/** Waits until the platform takes requests again: it has refused no piece, so this counts as neither a failure nor a look for one. */
export function waitForLimit(
  txn: Transaction,
  publication: PublicationRow,
  { kind, message }: Pick<PlatformError, 'kind' | 'message'>,
  until: Date,
): void {
  Object.assign(publication, { errorKind: kind, error: message, leaseUntil: null })
  publication.status = publication.touched ? 'unknown' : 'scheduled'
  lookAt(txn, publication, until)
}

async function fail(txn: Transaction, publication: PublicationRow): Promise<void> {
  publication.status = 'failed'
  await stop(txn, publication, 'failed', `Not published: ${publication.error ?? ''}`)
}

/** Nobody but a person can tell what has become of it. */
export async function askPerson(txn: Transaction, publication: PublicationRow, why: string): Promise<void> {
  Object.assign(publication, { status: 'unknown', asked: true, error: safeWords(why) })
  await stop(
    txn,
    publication,
    'unknown',
    `Is it there? Look at the channel and say whether “${publication.title}” was published: the platform’s answer was lost.`,
  )
}

async function stop(
  txn: Transaction,
  publication: PublicationRow,
  status: 'failed' | 'held' | 'unknown',
  body: string,
  isTold = false,
): Promise<void> {
  const { id, tenantId, activityId, channelId, channelType, title, error } = publication
  Object.assign(publication, { nextAt: null, leaseUntil: null, updatedOn: txn.clock.date() })
  logActivity(
    txn,
    { id: activityId, tenantId },
    {
      kind: 'publishing',
      message: body,
      data: { publicationId: id },
    },
  )
  record(txn, publication)
  const reason = error ?? ''
  txn.emit(publicationStopped, {
    tenantId,
    subject: activityId,
    data: { publicationId: id, activityId, channelId, channelType, title, status, reason },
  })
  if (!isTold) await tellAdmins(txn, publication, body)
}

/** Tells the admins that a person has to see to a publication. */
export async function tellAdmins(
  txn: Transaction,
  { tenantId, channelType, title, activityId }: PublicationRow,
  body: string,
): Promise<void> {
  await notify(txn, {
    tenantId,
    to: 'admins',
    type: 'activity_failed',
    title: `${channelNames[channelType]}: ${title}`,
    body,
    subjectKind: 'activities',
    subjectId: activityId,
  })
}

function record(txn: Transaction, publication: PublicationRow): void {
  const { id, tenantId, status, contentHash, channelId, url, attempt } = publication
  txn.audit({
    tenantId,
    resourceType: 'publication',
    resourceId: id,
    action: `publication.${status}`,
    after: { status, contentHash, channelId, url, attempt },
  })
}
