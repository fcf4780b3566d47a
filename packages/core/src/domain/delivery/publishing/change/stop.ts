import type { Transaction } from '../../../../kernel/context.ts'
import { safeWords } from '../../../accounts/channels/platform-error.ts'
import { logActivity } from '../../../work/activities/state.ts'
import type { HoldReason, PublicationRow } from '../entities.ts'
import { holdWords, isToldOfChannel, tellAdmins } from '../settle.ts'

/** Stops a change until a person has seen to it; the post stays as it is. */
export async function holdChange(
  txn: Transaction,
  publication: PublicationRow,
  reason: HoldReason,
): Promise<void> {
  Object.assign(publication, {
    changeStatus: 'held',
    changeHoldReason: reason,
    changeError: holdWords[reason],
    changeErrorKind: null,
  })
  await stopChange(txn, publication, await isToldOfChannel(txn, publication, reason))
}

/** Gives a change up until a person tries it again. */
export async function failChange(txn: Transaction, publication: PublicationRow, why: string): Promise<void> {
  Object.assign(publication, { changeStatus: 'failed', changeError: safeWords(why) })
  await stopChange(txn, publication, false)
}

async function stopChange(txn: Transaction, publication: PublicationRow, isTold: boolean): Promise<void> {
  const { id, tenantId, activityId, channelId, changeHash, changeStatus, changeError } = publication
  Object.assign(publication, { changeNextAt: null, leaseUntil: null, updatedOn: txn.clock.date() })
  const body = `Not changed: ${changeError ?? ''}`
  const line = { kind: 'publishing', message: body, data: { publicationId: id } }
  logActivity(txn, { id: activityId, tenantId }, line)
  txn.audit({
    tenantId,
    resourceType: 'publication',
    resourceId: id,
    action: `publication.change_${changeStatus}`,
    after: { contentHash: changeHash, channelId, reason: changeError },
  })
  if (!isTold) await tellAdmins(txn, publication, body)
}
