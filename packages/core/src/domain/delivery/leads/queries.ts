import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { cursorRow, type List } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { oneTenant, within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { leftTable, like, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { User } from '../../accounts/identity/entities.ts'
import { Lead, LeadEvent, LeadImport } from './entities.ts'
import { leadNumbers, type Stretch } from './order-queries.ts'
import type { LeadDetail, LeadFilter, LeadItem, LeadQuery, TimelineEntry } from './schemas.ts'
import { foundBy } from './search-queries.ts'

const l = table(Lead, 'l')
const u = leftTable(User, 'u')
const e = table(LeadEvent, 'e')
const i = table(LeadImport, 'i')

const item = select({
  ...pick(l, 'id', 'firstName', 'lastName', 'email', 'phone', 'company', 'status', 'source', 'sourceRef'),
  ...pick(l, 'score', 'tags', 'createdOn', 'updatedOn', 'importId', 'seq'),
  assignedToId: like(u.id, 'u.id'),
  assignedToName: u.name,
})
type ItemRow = RowOf<typeof item>
const entry = select(pick(e, 'id', 'kind', 'text', 'actorId', 'actorName', 'at'))
const origin = select(pick(i, 'id', 'label', 'createdById', 'createdByName'))

const from = `from ${l} left join ${u} on u.id = l.assigned_to_id`

/** How many entries of a timeline are shown. */
const mostEntries = 200

/** The leads of the context's tenant, newest first. Serves `GET /dashboard/v1/leads`. */
export async function listLeads(ctx: Ctx, given: Partial<LeadQuery> = {}): Promise<Page<LeadItem>> {
  const { limit = 25, order = 'desc', cursor } = given
  const list: List<ItemRow> = {
    select: item,
    from,
    id: l.id,
    rows: where(equals(l.tenantId, oneTenant(ctx))),
  }
  const beyond = cursor === undefined ? undefined : (await cursorRow(ctx, list, cursor)).seq
  const rows = await stretchOf(ctx, given, { order, beyond, most: limit + 1 })
  const data = rows.slice(0, limit).map(toItem)
  const hasMore = rows.length > limit
  return { data, pagination: { hasMore, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null } }
}

/** Leads in the order in which they came, for reading all of them a few at a time. @param beyond the number of the last one that was read */
export async function leadsAfter(
  ctx: Ctx,
  filter: Partial<LeadFilter>,
  beyond: number | undefined,
  most: number,
): Promise<{ leads: LeadItem[]; last: number | undefined }> {
  const rows = await stretchOf(ctx, filter, { order: 'asc', beyond, most })
  return { leads: rows.map(toItem), last: rows.at(-1)?.seq }
}

/** First the numbers of the leads, from an index alone, then the leads. */
async function stretchOf(
  ctx: Ctx,
  { 'filter.status': status, 'filter.source': source, search }: Partial<LeadFilter>,
  { order, ...place }: Pick<Stretch, 'order' | 'beyond' | 'most'>,
): Promise<ItemRow[]> {
  const stretch = { tenantId: oneTenant(ctx), status, source, order, ...place }
  const numbers = search === undefined ? await leadNumbers(ctx, stretch) : await foundBy(ctx, search, stretch)
  if (numbers.length === 0) return []
  return item.all(
    ctx.sql,
    `${from} where l.tenant_id = ? and l.seq in (${placeholders(numbers)}) order by l.seq ${order}`,
    [stretch.tenantId, ...numbers],
  )
}

/** A lead with what has happened to it. Serves `GET /dashboard/v1/leads/:leadId`. @throws DomainError `NOT_FOUND` */
export async function getLead(ctx: Ctx, id: string): Promise<LeadDetail> {
  const row = await findItem(ctx, id)
  const scope = within(ctx.scope, 'e.tenant_id')
  const entries = await entry.all(
    ctx.sql,
    `from ${e} where e.lead_id = ? and ${scope.sql} order by e.id desc limit ?`,
    [id, ...scope.params, mostEntries],
  )
  const timeline = entries.map(toEntry)
  const imported = row.importId === null ? [] : await importEntry(ctx, row, row.importId)
  return {
    ...toItem(row),
    updatedOn: row.updatedOn,
    timeline: [...timeline, ...imported].slice(0, mostEntries),
  }
}

/** One lead as lists show it. @throws DomainError `NOT_FOUND` */
export async function getItem(ctx: Ctx, id: string): Promise<LeadItem> {
  return toItem(await findItem(ctx, id))
}

async function findItem(ctx: Ctx, id: string): Promise<ItemRow> {
  const condition = where(within(ctx.scope, 'l.tenant_id'), equals(l.id, id))
  const row = await item.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('lead')
  return row
}

/** The leads of an import have no entry of their own for that: a hundred thousand would say the same. */
async function importEntry(ctx: Ctx, lead: ItemRow, importId: string): Promise<TimelineEntry[]> {
  const condition = where(within(ctx.scope, 'i.tenant_id'), equals(i.id, importId))
  const row = await origin.get(ctx.sql, `from ${i} where ${condition.sql}`, condition.params)
  if (!row) return []
  const actor = { id: row.createdById, name: row.createdByName }
  return [{ id: lead.id, at: lead.createdOn, kind: 'created', text: `Imported from ${row.label}`, actor }]
}

function toEntry({ actorId, actorName, ...row }: RowOf<typeof entry>): TimelineEntry {
  return { ...row, actor: { id: actorId, name: actorName } }
}

function toItem(row: ItemRow): LeadItem {
  const { id, firstName, lastName, email, phone, company, status, source, sourceRef, score } = row
  const { assignedToId, assignedToName, tags, createdOn } = row
  return {
    id,
    firstName,
    lastName,
    ...(email !== null && { email }),
    ...(phone !== null && { phone }),
    ...(company !== null && { company }),
    status,
    source,
    ...(sourceRef !== null && { sourceRef }),
    ...(score !== null && { score }),
    ...(assignedToId !== null &&
      assignedToName !== null && { assignedTo: { id: assignedToId, name: assignedToName } }),
    tags,
    createdOn,
  }
}
