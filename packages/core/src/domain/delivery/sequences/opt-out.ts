import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { addEntry } from '../leads/create.ts'
import { stopContact } from './claim.ts'
import { MailOptOut, SequenceContact } from './entities.ts'
import { contactOfLink } from './queries.ts'
import { lockSequence } from './sequences.ts'

/**
 * Ends all mails of sequences from a tenant to an address, for good. Doing it twice changes nothing. Serves
 * `POST /forms/v1/unsubscribe/:linkKey`.
 * @returns the name of the tenant
 * @throws DomainError `NOT_FOUND`
 */
export async function unsubscribe(ctx: Ctx, linkKey: string): Promise<string> {
  const { id, tenantId, sequenceId, tenantName } = await contactOfLink(ctx, linkKey)
  await transact({ ...ctx, scope: [tenantId] }, async (txn) => {
    // A contact is changed under the lock of its sequence; in other sequences the next mail finds the address below.
    const sequence = await lockSequence(txn, sequenceId)
    const contact = await txn.em.findOne(SequenceContact, { id })
    if (!sequence || !contact) return
    const { address, leadId } = contact
    stopContact(sequence, contact, 'unsubscribed')
    if ((await txn.em.count(MailOptOut, { tenantId, address })) > 0) return
    txn.em.create(MailOptOut, { tenantId, address, at: txn.clock.date() })
    addEntry(txn, { id: leadId, tenantId }, 'change', 'Unsubscribed from mails', { id: null, name: address })
    txn.audit({ tenantId, resourceType: 'lead', resourceId: leadId, after: { unsubscribed: true } })
  })
  return tenantName
}
