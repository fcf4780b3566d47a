import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { channelNames } from '../../../accounts/channels/entities.ts'
import { ActivityLogEntry, type ActivityRow } from '../../../work/activities/entities.ts'
import { logActivity } from '../../../work/activities/state.ts'
import type { OutputRow } from '../../../work/content/entities.ts'
import type { PublicationRow } from '../entities.ts'
import { lookAtChange } from '../lock.ts'
import { isHeldForText } from '../policy.ts'

/** No newer text waits. */
export const noChange = {
  changeOutputId: null,
  changeHash: null,
  changeStatus: null,
  changeHoldReason: null,
  changeNextAt: null,
  changeFailures: 0,
  changeErrorKind: null,
  changeError: null,
}

/**
 * Plans that a newer text takes the place of the one that is out, at once. One that is being sent ends first, and one that is not out yet
 * goes out first; a text that was planned before is not sent any more.
 */
export function planChange(txn: Transaction, publication: PublicationRow, output: OutputRow): void {
  const { status, changeStatus, changeNextAt } = publication
  const planned = { changeOutputId: output.id, changeHash: output.sha256 }
  if (changeStatus === 'sending')
    return void Object.assign(publication, noChange, planned, { changeStatus, changeNextAt })
  Object.assign(publication, noChange, planned, { changeStatus: 'waiting' })
  if (status === 'published') lookAtChange(txn, publication, txn.clock.date())
}

/** Lets a change go on with the text that was planned. */
export function resumeChange(txn: Transaction, publication: PublicationRow): void {
  const { changeOutputId, changeHash } = publication
  Object.assign(publication, noChange, { changeOutputId, changeHash, changeStatus: 'waiting' })
  lookAtChange(txn, publication, txn.clock.date())
}

/** Why a post that is out cannot be changed, and what a person can do about it; undefined where it can. */
export function changeFault({ services }: Ctx, publication: PublicationRow): string | undefined {
  const { channelType, status, externalId } = publication
  const connector = services.connectors.get(channelType)
  const canRemove = connector?.remove !== undefined
  if (!connector?.edit)
    return `The platform cannot change posts: ${canRemove ? 'take it back and publish it again' : 'change or delete it there by hand'}`
  if (status !== 'published' || externalId) return undefined
  return 'It is not known which post it is: change it there by hand'
}

/**
 * After a verdict on a newer text of a piece that is out, or may be: the post is to be changed where the platform can; where it cannot, the
 * activity's log says so, once for each text. The caller holds the activity's lock.
 */
export async function planNewerText(
  txn: Transaction,
  activity: ActivityRow,
  publication: PublicationRow,
  output: OutputRow,
): Promise<void> {
  const { contentHash, changeHash, changeStatus, changeHoldReason } = publication
  const isOfText = isHeldForText(changeHoldReason)
  if ((changeHash ?? contentHash) === output.sha256 && !isOfText) return
  const fault = changeFault(txn, publication)
  if (fault !== undefined) return logOnce(txn, activity, publication, `Version ${output.version}: ${fault}`)
  // What waits for something else than its text goes on with the newer one.
  if (changeStatus === 'held' && !isOfText)
    return void Object.assign(publication, { changeOutputId: output.id, changeHash: output.sha256 })
  planChange(txn, publication, output)
  const { id, tenantId, channelId, channelType } = publication
  logActivity(txn, activity, {
    kind: 'publishing',
    message: `Version ${output.version} goes out on ${channelNames[channelType]} in the place of the one before`,
    data: { publicationId: id },
  })
  txn.audit({
    tenantId,
    resourceType: 'publication',
    resourceId: id,
    action: 'publication.update',
    before: { contentHash },
    after: { contentHash: output.sha256, channelId },
  })
}

async function logOnce(
  txn: Transaction,
  activity: ActivityRow,
  { id, channelType }: PublicationRow,
  words: string,
): Promise<void> {
  const line = { kind: 'publishing', message: `Not changed on ${channelNames[channelType]}. ${words}` }
  if (await txn.em.findOne(ActivityLogEntry, { activityId: activity.id, ...line })) return
  logActivity(txn, activity, { ...line, data: { publicationId: id } })
}
