import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { notify } from '../../people/notifications/notify.ts'
import { addEntry } from '../leads/create.ts'
import { Lead } from '../leads/entities.ts'
import { stopContact } from './claim.ts'
import { SequenceContact, SequenceMail } from './entities.ts'
import { lockSequence } from './sequences.ts'

/**
 * Ends a sequence for a contact that has answered one of its mails, tells the one who looks after the lead, or else the admins, and writes it into the
 * lead's timeline. The same answer changes nothing again.
 * @param mailIds what the answer refers to; the first that is of a sequence counts
 * @returns the mail that was answered; null for an answer to none of a sequence
 */
export async function noteAnswer(ctx: Ctx, mailIds: readonly string[]): Promise<string | null> {
  if (mailIds.length === 0) return null
  return transact({ ...ctx, scope: 'all' }, async (txn) => {
    const mails = await txn.em.find(SequenceMail, { id: { $in: [...mailIds] } })
    const mail = mails.toSorted((a, b) => mailIds.indexOf(a.id) - mailIds.indexOf(b.id))[0]
    const sequence = mail && (await lockSequence(txn, mail.sequenceId))
    const contact = mail && (await txn.em.findOne(SequenceContact, { id: mail.contactId }))
    if (!mail || !sequence || !contact) return null
    if (contact.status === 'stopped') return mail.id
    const { tenantId, leadId, address } = contact
    stopContact(sequence, contact, 'answered')
    const lead = await txn.em.findOne(Lead, { id: leadId })
    if (!lead) return mail.id
    addEntry(txn, lead, 'change', `Answered a mail of ${sequence.name}`, { id: null, name: address })
    await notify(txn, {
      tenantId,
      to: lead.assignedToId === null ? 'admins' : [lead.assignedToId],
      type: 'campaign_update',
      title: `${`${lead.firstName} ${lead.lastName}`.trim() || address} has answered`,
      body: `The answer to a mail of ${sequence.name} is in the mailbox that it was sent from. No more mails of that sequence go to this lead.`,
      subjectKind: 'leads',
      subjectId: leadId,
    })
    txn.audit({
      tenantId,
      resourceType: 'lead',
      resourceId: leadId,
      after: { answered: mail.id },
      action: 'lead.answered',
    })
    return mail.id
  })
}
