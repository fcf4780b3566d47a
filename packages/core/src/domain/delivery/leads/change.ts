import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { flushOnce, transact } from '../../../kernel/transact.ts'
import { User } from '../../accounts/identity/entities.ts'
import { lockTenant } from '../../accounts/tenants/status.ts'
import { hasOptedOut } from '../mailing/opt-out-queries.ts'
import { addressFor, sequenceChannels } from '../sequences/channels.ts'
import { addEntry, refuseDuplicate, view } from './create.ts'
import { Lead, type LeadRow, type TimelineKind } from './entities.ts'
import { isSomeone, nobody } from './fields.ts'
import { derived } from './policy.ts'
import { getItem } from './queries.ts'
import type { LeadChange, LeadItem } from './schemas.ts'

/**
 * Changes a lead; what is not named stays as it is. Any status may follow any other. Serves `PATCH /dashboard/v1/leads/:leadId`.
 * @throws DomainError `NOT_FOUND`, on `assignedTo` for someone who is not an active user of the tenant; `VALIDATION_ERROR` on `firstName`
 *   when nothing would be left to know the lead by; `CONFLICT` with `details.leadId` when another lead has the address or the number;
 *   `UNPROCESSABLE` for a consent of someone who has unsubscribed
 */
export async function changeLead(
  ctx: Ctx,
  id: string,
  { consent, ...change }: LeadChange,
): Promise<LeadItem> {
  return transact(ctx, async (txn) => {
    const tenantId = (await findLead(txn, id)).tenantId
    // In the order in which imports and new leads lock.
    if (change.email || change.phone || change.email === null) await lockTenant(txn, tenantId)
    const lead = await txn.em.findOne(Lead, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
    if (!lead) throw notFound('lead')
    const before = view(lead)
    const assignee = change.assignedTo ? await activeUser(txn, tenantId, change.assignedTo) : undefined
    apply(lead, change)
    if (!isSomeone(lead)) throw invalid('firstName', nobody)
    const after = view(lead)
    if (before.email !== after.email || before.phone !== after.phone)
      await refuseDuplicate(txn, tenantId, lead, id)
    const entries: Entry[] = describe(before, after, assignee?.name)
    if (consent) {
      if (consent.kind === 'agreed') await requireSubscribed(txn, lead)
      entries.push([consent.kind, `${consentWords[consent.kind]}: ${consent.note}`])
    }
    if (entries.length > 0) {
      Object.assign(lead, derived(lead), { revision: lead.revision + 1, updatedOn: txn.clock.date() })
      for (const [kind, text] of entries) addEntry(txn, lead, kind, text)
      txn.audit({
        tenantId,
        resourceType: 'lead',
        resourceId: id,
        before,
        after: { ...after, ...(consent && { consent }) },
      })
    }
    await flushOnce(txn, new DomainError('CONFLICT', 'There is a lead with this e-mail address already'))
    return getItem(txn, id)
  })
}

const consentWords = { agreed: 'Agreed', declined: 'Declined' } as const

/**
 * What people have ended by their own act stays ended, whatever others say of them.
 * @throws DomainError `UNPROCESSABLE`
 */
async function requireSubscribed(txn: Transaction, lead: LeadRow): Promise<void> {
  const addresses = sequenceChannels.map((channel) => addressFor(channel, lead)).filter((one) => one !== null)
  if (await hasOptedOut(txn, { tenantId: lead.tenantId, addresses }))
    throw new DomainError('UNPROCESSABLE', 'This lead has unsubscribed: no one else can take that back', {
      field: 'consent',
      details: { reason: 'unsubscribed' },
    })
}

async function findLead(txn: Transaction, id: string): Promise<LeadRow> {
  const lead = await txn.em.findOne(Lead, { id })
  if (!lead) throw notFound('lead')
  return lead
}

async function activeUser(txn: Transaction, tenantId: string, id: string) {
  const user = await txn.em.findOne(User, { id, tenantId, status: 'active' })
  if (!user) throw notFound('active user', { field: 'assignedTo' })
  return user
}

/** Puts the new values into a lead; an empty text is none. */
export function apply(lead: LeadRow, { assignedTo, tags, ...change }: Omit<LeadChange, 'consent'>): void {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  const nullable: ReadonlySet<string> = new Set(['email', 'phone', 'company'])
  for (const [name, value] of given)
    Object.assign(lead, { [name]: value === '' && nullable.has(name) ? null : value })
  if (tags !== undefined) lead.tags = [...new Set(tags)]
  if (assignedTo !== undefined) lead.assignedToId = assignedTo
}

type View = ReturnType<typeof view>
type Entry = readonly [Exclude<TimelineKind, 'created' | 'comment'>, string]

const plainFields = {
  firstName: 'first name',
  lastName: 'last name',
  email: 'e-mail address',
  phone: 'phone number',
  company: 'company',
} as const

/** What a timeline says of a change. @param assignee the name of the one to whom the lead was given */
export function describe(before: View, after: View, assignee?: string): Entry[] {
  const shown = (value: string | number | null) => (value === null || value === '' ? 'none' : `${value}`)
  const from = (name: string, a: string | number | null, b: string | number | null) =>
    `${name} from ${shown(a)} to ${shown(b)}`
  const entries: Entry[] = []
  if (before.status !== after.status) entries.push(['status', from('Status', before.status, after.status)])
  if (before.score !== after.score) entries.push(['score', from('Score', before.score, after.score)])
  const added = after.tags.filter((tag) => !before.tags.includes(tag))
  const removed = before.tags.filter((tag) => !after.tags.includes(tag))
  const tags = [...added.map((tag) => `added ${tag}`), ...removed.map((tag) => `removed ${tag}`)]
  if (tags.length > 0) entries.push(['tags', `Tags: ${tags.join(', ')}`])
  if (before.assignedToId !== after.assignedToId)
    entries.push([
      'assignment',
      after.assignedToId === null ? 'Assigned to no one' : `Assigned to ${assignee}`,
    ])
  const changed = (Object.keys(plainFields) as Array<keyof typeof plainFields>).filter(
    (name) => before[name] !== after[name],
  )
  if (changed.length > 0)
    entries.push([
      'change',
      `Changed ${changed.map((name) => from(plainFields[name], before[name], after[name])).join('; ')}`,
    ])
  return entries
}
