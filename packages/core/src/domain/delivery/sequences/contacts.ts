import { randomBytes } from 'node:crypto'
import type { Transaction } from '../../../kernel/context.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import type { LeadStatus } from '../leads/fields.ts'
import { MailOptOut } from '../mailing/entities.ts'
import { addressFor } from './channels.ts'
import { type LeadAudience, SequenceContact, type SequenceRow, SequenceStep } from './entities.ts'
import { daysLater, perReading } from './policy.ts'
import { type ListedLead, lastLeadOf, leadsBehind } from './queries.ts'

/** How old a lead is before it counts as having come, milliseconds: those that came before it have been committed by then. */
const settledMs = 60_000

/**
 * Takes the next leads in that a sequence is for, in the transaction that moves its place in the list on. The caller holds its lock.
 * @returns whether there were any
 */
export async function takeInLeads(txn: Transaction, sequence: SequenceRow): Promise<boolean> {
  const { tenantId, triggerType, leadsRead } = sequence
  if (triggerType === 'on_date') sequence.lastLead ??= await lastLeadOf(txn, tenantId)
  const { lastLead } = sequence
  if (lastLead !== null && leadsRead >= lastLead) return false
  const found = await leadsBehind(txn, { tenantId, after: leadsRead, until: lastLead, most: perReading })
  const settled = txn.clock.now() - settledMs
  const young = lastLead === null ? found.findIndex(({ createdOn }) => createdOn.getTime() > settled) : -1
  const leads = young < 0 ? found : found.slice(0, young)
  const end = leads.at(-1)?.seq
  if (end !== undefined) sequence.leadsRead = end
  // Those of the range have gone meanwhile.
  else if (lastLead !== null) sequence.leadsRead = lastLead
  await takeIn(txn, sequence, await wanted(txn, sequence, leads))
  return leads.length > 0
}

async function takeIn(
  txn: Transaction,
  sequence: SequenceRow,
  leads: ReadonlyArray<{ id: string; address: string }>,
): Promise<void> {
  if (leads.length === 0) return
  const { id: sequenceId, tenantId } = sequence
  const [{ timezone }, first] = await Promise.all([
    txn.em.findOneOrFail(Tenant, { id: tenantId }),
    txn.em.findOneOrFail(SequenceStep, { sequenceId, position: 0 }),
  ])
  const now = txn.clock.date()
  const nextAt = daysLater(now, first.delayDays, timezone)
  for (const { id: leadId, address } of leads)
    txn.insert(SequenceContact, {
      id: txn.newId(),
      tenantId,
      sequenceId,
      leadId,
      address,
      status: 'waiting',
      stopReason: null,
      nextPosition: 0,
      nextAt,
      linkKey: randomBytes(16).toString('hex'),
      createdOn: now,
    })
  sequence.waiting += leads.length
}

/** Those with an address that the sequence is for, that are not in it, and that have not said no. */
async function wanted(
  txn: Transaction,
  { id, tenantId, kind, channel, audience }: SequenceRow,
  leads: readonly ListedLead[],
) {
  const addresses = new Map<string, string>()
  for (const lead of leads) {
    const own = addressFor(channel, lead)
    if (own !== null && isMeant(kind, audience, lead) && !addresses.has(own)) addresses.set(own, lead.id)
  }
  if (addresses.size === 0) return []
  const address = { $in: [...addresses.keys()] }
  const [known, out] = await Promise.all([
    txn.em.find(SequenceContact, { sequenceId: id, address }, { fields: ['address'] }),
    txn.em.find(MailOptOut, { tenantId, address }),
  ])
  for (const one of [...known, ...out]) addresses.delete(one.address)
  return Array.from(addresses, ([each, leadId]) => ({ id: leadId, address: each }))
}

/** A customer is won, and asked for a review; anyone else is not. Newsletters go to both. */
export function endsFor(kind: SequenceRow['kind'], status: LeadStatus): boolean {
  if (kind === 'mailing' || status === 'unqualified') return status === 'unqualified'
  return (status === 'converted') === (kind === 'email')
}

function isMeant(
  kind: SequenceRow['kind'],
  { statuses, sources, tag }: LeadAudience,
  lead: ListedLead,
): boolean {
  const { status, source, tags } = lead
  return (
    !endsFor(kind, status) &&
    (statuses.length === 0 || statuses.includes(status)) &&
    (sources.length === 0 || sources.includes(source)) &&
    (tag === null || tags.includes(tag))
  )
}
