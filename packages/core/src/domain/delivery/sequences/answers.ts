import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { mailIdIn } from '../../../platform/mail/answer.ts'
import { notify } from '../../people/notifications/notify.ts'
import { addEntry } from '../leads/create.ts'
import { Lead } from '../leads/entities.ts'
import { SequenceContact, SequenceMail, type SequenceMailRow } from './entities.ts'
import { lockSequence } from './sequences.ts'
import { stopContact } from './stop.ts'

/**
 * Ends a sequence for a contact that has answered one of its mails, tells the one who looks after the lead, or else the admins, and writes it into the
 * lead's timeline. The same answer changes nothing again.
 * @param messages what the answer refers to, see `answeredMessages`; the first that is of a sequence counts
 * @returns the mail that was answered; null for an answer to none of a sequence
 */
export async function noteAnswer(ctx: Ctx, messages: readonly string[]): Promise<string | null> {
  if (messages.length === 0) return null
  return transact({ ...ctx, scope: 'all' }, async (txn) => {
    const ids = messages.flatMap((message) => mailIdIn(message) ?? [])
    // A platform gives its own.
    const given = messages.map((message) => `<${message}>`)
    const mails = await txn.em.find(SequenceMail, {
      $or: [{ id: { $in: ids } }, { messageId: { $in: given } }],
    })
    const place = ({ id, messageId }: SequenceMailRow) =>
      messages.findIndex((message) => mailIdIn(message) === id || `<${message}>` === messageId)
    const [mail] = mails.toSorted((a, b) => place(a) - place(b))
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
