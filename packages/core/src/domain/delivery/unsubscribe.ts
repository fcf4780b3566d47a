import type { Ctx, Transaction } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { transact } from '../../kernel/transact.ts'
import { logActivity } from '../work/activities/state.ts'
import { addEntry } from './leads/create.ts'
import { addOptOut } from './mailing/opt-out-queries.ts'
import { mailOfLink } from './outreach/queries.ts'
import { SequenceContact } from './sequences/entities.ts'
import { contactOfLink } from './sequences/queries.ts'
import { lockSequence } from './sequences/sequences.ts'
import { stopContact } from './sequences/stop.ts'

/** Whose mails a link ends, of whatever tenant. */
async function ownerOf(ctx: Ctx, linkKey: string) {
  const contact = await contactOfLink(ctx, linkKey)
  if (contact) return { kind: 'contact' as const, ...contact }
  const mail = await mailOfLink(ctx, linkKey)
  if (mail) return { kind: 'outreach' as const, ...mail }
  throw notFound('link')
}

/** The name of the tenant whose mails a link ends. @throws DomainError `NOT_FOUND` */
export const senderOfLink = async (ctx: Ctx, linkKey: string): Promise<string> =>
  (await ownerOf(ctx, linkKey)).tenantName

/**
 * Ends all mails of sequences and outreach from a tenant to an address, for good. Doing it twice changes nothing. Serves
 * `POST /forms/v1/unsubscribe/:linkKey`.
 * @returns the name of the tenant
 * @throws DomainError `NOT_FOUND`
 */
export async function unsubscribe(ctx: Ctx, linkKey: string): Promise<string> {
  const owner = await ownerOf(ctx, linkKey)
  const { tenantId } = owner
  await transact({ ...ctx, scope: [tenantId] }, async (txn) => {
    if (owner.kind === 'contact') return endSequence(txn, owner)
    const { id, address, activityId } = owner
    if (!(await addOptOut(txn, { tenantId, address }))) return
    logActivity(
      txn,
      { id: activityId, tenantId },
      { kind: 'publishing', message: `${address} wants no more mails` },
    )
    txn.audit({
      tenantId,
      resourceType: 'outreach_mail',
      resourceId: id,
      after: { unsubscribed: true },
    })
  })
  return owner.tenantName
}

async function endSequence(
  txn: Transaction,
  { id, tenantId, sequenceId }: { id: string; tenantId: string; sequenceId: string },
): Promise<void> {
  // A contact is changed under the lock of its sequence; in other sequences the next mail finds the address below.
  const sequence = await lockSequence(txn, sequenceId)
  const contact = await txn.em.findOne(SequenceContact, { id })
  if (!sequence || !contact) return
  const { address, leadId } = contact
  stopContact(sequence, contact, 'unsubscribed')
  if (!(await addOptOut(txn, { tenantId, address }))) return
  addEntry(txn, { id: leadId, tenantId }, 'change', 'Unsubscribed', { id: null, name: address })
  txn.audit({ tenantId, resourceType: 'lead', resourceId: leadId, after: { unsubscribed: true } })
}
