import { setImmediate } from 'node:timers/promises'
import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import { apply, describe } from '../change.ts'
import { addEntry, view } from '../create.ts'
import { Lead, LeadImportError, type LeadImportRow } from '../entities.ts'
import { derived } from '../policy.ts'
import { knownLeads } from './batch-queries.ts'
import { type Common, insertLeads } from './insert-queries.ts'
import type { FileLead, ReadRow } from './rows.ts'
import { newValues, type OwnValues } from './values.ts'

type ReadLead = Extract<ReadRow, { lead: unknown }>['lead']

/** What has become of the rows of a batch. */
export interface RowCounts {
  imported: number
  updated: number
  skipped: number
}

/** How many rows are gone through at a time; others are answered between two. */
const perTurn = 250

/** Makes leads of rows, or puts what they say into the leads that are there already. */
export async function importBatch(
  txn: Transaction,
  file: LeadImportRow,
  rows: readonly ReadRow[],
  common: Common,
): Promise<RowCounts> {
  const counts: RowCounts = { imported: 0, updated: 0, skipped: 0 }
  const { id: importId, tenantId, duplicates, label } = file
  const skip = ({ line, cells }: ReadRow, reason: string) => {
    counts.skipped += 1
    txn.insert(LeadImportError, { importId, line, tenantId, reason, cells })
  }
  const leads = rows.flatMap((row) => ('lead' in row ? [row.lead] : []))
  const known = await knownLeads(txn, tenantId, leads)
  const added = new Map<string, OwnValues>()
  const changes: Array<{ id: string; lead: ReadLead }> = []
  const actor = { id: file.createdById, name: file.createdByName }
  for (const [n, row] of rows.entries()) {
    if (n % perTurn === perTurn - 1) await setImmediate()
    if ('reason' in row) {
      skip(row, row.reason)
      continue
    }
    const { lead } = row
    const id = known.find(lead)
    if (id !== undefined && duplicates === 'skip') {
      skip(row, 'There is a lead with this id, e-mail address or phone number already')
      continue
    }
    if (id === undefined) {
      const newId = txn.newId()
      known.add(lead, newId)
      added.set(newId, newValues(lead))
      counts.imported += 1
      if (lead.notes) addEntry(txn, { id: newId, tenantId }, 'comment', lead.notes, actor)
      continue
    }
    const owner = known.owner(lead)
    if (owner !== undefined && owner !== id) {
      skip(row, 'Another lead has this e-mail address or phone number')
      continue
    }
    counts.updated += 1
    if (lead.email !== undefined) known.add({ ...lead, phoneKey: null }, id)
    const fresh = added.get(id)
    // A lead of this very batch is not in the database yet.
    if (fresh) merge(fresh, lead)
    else changes.push({ id, lead })
  }
  await insertLeads(txn, common, added)
  await update(txn, changes, { id: file.createdById, name: `${file.createdByName} (import ${label})` })
  return counts
}

/** What a line says, as a change: an empty cell says nothing, and tags are added. */
function changeOf(
  { firstName, lastName, email, phone, company, status, score, tags }: FileLead,
  own: readonly string[],
) {
  return {
    ...(firstName !== '' && { firstName }),
    ...(lastName !== '' && { lastName }),
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    ...(company !== undefined && { company }),
    ...(status !== undefined && { status }),
    ...(score !== undefined && { score }),
    ...(tags !== undefined && { tags: [...own, ...tags].slice(0, 20) }),
  }
}

function merge(values: OwnValues, lead: FileLead): void {
  Object.assign(values, changeOf(lead, values.tags))
  values.tags = [...new Set(values.tags)]
  Object.assign(values, derived(values))
}

async function update(
  txn: Transaction,
  changes: ReadonlyArray<{ id: string; lead: ReadLead }>,
  actor: { id: string; name: string },
): Promise<void> {
  if (changes.length === 0) return
  const found = await txn.em.find(
    Lead,
    { id: { $in: changes.map(({ id }) => id) } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { seq: 'asc' } },
  )
  const byId = new Map(found.map((lead) => [lead.id, lead]))
  for (const { id, lead: line } of changes) {
    const lead = byId.get(id)
    if (!lead) continue
    const before = view(lead)
    apply(lead, changeOf(line, lead.tags))
    const entries = describe(before, view(lead))
    if (entries.length === 0 && !line.notes) continue
    Object.assign(lead, derived(lead), { revision: lead.revision + 1, updatedOn: txn.clock.date() })
    for (const [kind, text] of entries) addEntry(txn, lead, kind, text, actor)
    if (line.notes) addEntry(txn, lead, 'comment', line.notes, actor)
  }
}
