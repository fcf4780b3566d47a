import type { Transaction } from '../../../kernel/context.ts'
import { hasDeclined } from '../leads/consent-queries.ts'
import type { LeadRow } from '../leads/entities.ts'
import { MailOptOut } from '../mailing/entities.ts'
import { addressFor } from './channels.ts'
import { endsFor } from './contacts.ts'
import type { ContactRow, SequenceRow, StopReason } from './entities.ts'

/** Asked at each mail: what was so when a contact was taken in may not be so any more. */
export async function reasonToStop(
  txn: Transaction,
  { kind, channel }: SequenceRow,
  { tenantId, address }: ContactRow,
  lead: LeadRow | null,
): Promise<StopReason | undefined> {
  if (!lead) return 'removed'
  if (addressFor(channel, lead) !== address) return 'changed'
  if (endsFor(kind, lead.status)) return lead.status === 'converted' ? 'converted' : 'unqualified'
  if ((await txn.em.count(MailOptOut, { tenantId, address })) > 0) return 'unsubscribed'
  return (await hasDeclined(txn, lead.id)) ? 'declined' : undefined
}

/** Ends a contact's way through a sequence, whose lock the caller holds. */
export function stopContact(sequence: SequenceRow, contact: ContactRow, reason: StopReason): void {
  if (contact.status === 'stopped') return
  if (contact.status === 'waiting') sequence.waiting -= 1
  else sequence.done -= 1
  sequence.stopped += 1
  Object.assign(contact, { status: 'stopped', stopReason: reason, nextAt: null })
}
