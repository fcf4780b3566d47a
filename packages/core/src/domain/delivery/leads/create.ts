import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { flushOnce, transact } from '../../../kernel/transact.ts'
import { lockTenant } from '../../accounts/tenants/status.ts'
import { duplicateOf } from './duplicate-queries.ts'
import { Lead, LeadEvent, type LeadRow, type TimelineKind } from './entities.ts'
import { isSomeone, nobody } from './fields.ts'
import { derived } from './policy.ts'
import { getItem } from './queries.ts'
import type { LeadItem, NewLead } from './schemas.ts'

/**
 * Takes in a lead. Serves `POST /dashboard/v1/leads`.
 * @throws DomainError `VALIDATION_ERROR` on `firstName` for a lead with neither name, e-mail address nor phone number; `CONFLICT` with
 *   `details.leadId` when the lead is there already
 */
export async function createLead(ctx: Ctx, lead: NewLead): Promise<LeadItem> {
  return transact(ctx, async (txn) => {
    const id = await addLead(txn, lead)
    return getItem(txn, id)
  })
}

/** The same in a transaction. @returns the id */
export async function addLead(
  txn: Transaction,
  lead: NewLead & { sourceRef?: string; actor?: { id: string | null; name: string } },
): Promise<string> {
  if (!isSomeone(lead)) throw invalid('firstName', nobody)
  const tenantId = oneTenant(txn)
  const { firstName, lastName, source, sourceRef } = lead
  const contact = { email: lead.email || null, phone: lead.phone || null }
  // One at a time: of two at the same moment, the second finds the first.
  await lockTenant(txn, tenantId)
  await refuseDuplicate(txn, tenantId, contact)
  const now = txn.clock.date()
  const row = txn.em.create(Lead, {
    id: txn.newId(),
    tenantId,
    firstName,
    lastName,
    ...contact,
    company: lead.company || null,
    status: 'new',
    source,
    sourceRef: sourceRef || null,
    score: null,
    assignedToId: null,
    tags: [...new Set(lead.tags)],
    ...derived({ firstName, lastName, ...contact }),
    importId: null,
    revision: 0,
    createdOn: now,
    updatedOn: now,
  })
  await flushOnce(txn, new DomainError('CONFLICT', 'There is a lead with this e-mail address already'))
  addEntry(txn, row, 'created', `Created, source ${source}`, lead.actor)
  if (lead.notes) addEntry(txn, row, 'comment', lead.notes, lead.actor)
  txn.audit({ tenantId, resourceType: 'lead', resourceId: row.id, after: view(row) })
  return row.id
}

/** @throws DomainError `CONFLICT` with `details.leadId` */
export async function refuseDuplicate(
  txn: Transaction,
  tenantId: string,
  contact: { email: string | null; phone: string | null },
  except?: string,
): Promise<void> {
  const found = await duplicateOf(txn, tenantId, contact, except)
  if (!found) return
  throw new DomainError('CONFLICT', `There is a lead with this ${found.by} already`, {
    field: found.by === 'phone number' ? 'phone' : 'email',
    details: { reason: 'duplicate', leadId: found.id },
  })
}

/** Adds an entry to the timeline of a lead, by the one who acts unless another is named. */
export function addEntry(
  txn: Transaction,
  { id: leadId, tenantId }: Pick<LeadRow, 'id' | 'tenantId'>,
  kind: TimelineKind,
  text: string,
  actor: { id: string | null; name: string } = { id: txn.actor.id, name: actorName(txn) },
): void {
  const { id: actorId, name } = actor
  txn.insert(LeadEvent, {
    id: txn.newId(),
    tenantId,
    leadId,
    kind,
    text,
    actorId,
    actorName: name,
    at: txn.clock.date(),
  })
}

/** A lead as the audit log shows it. */
export function view(row: LeadRow) {
  const { firstName, lastName, email, phone, company, status, source, score, assignedToId, tags } = row
  return { firstName, lastName, email, phone, company, status, source, score, assignedToId, tags }
}
