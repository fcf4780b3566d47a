import type { Ctx } from '../../../kernel/context.ts'
import { type DomainError, notFound } from '../../../kernel/errors.ts'
import { cursorRow, readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, type Page, type PageRequest, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { compareTexts } from '../../../kernel/versions/comparisons.ts'
import { count, exists, flag, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Output } from './entities.ts'
import type { TextDiff, TextDiffQuery, TextVersion, TextVersionDetail, TextVersionQuery } from './schemas.ts'

const o = table(Output, 'o')

const columns = {
  ...pick(o, 'id', 'version', 'authorId', 'authorName', 'authorType'),
  contentHash: o.sha256,
  approved: flag(
    `exists (select 1 from approvals a where a.content_of = o.activity_id and a.content_hash = o.sha256
      and a.status = 'approved')`,
  ),
  createdOn: o.createdOn,
}
const listed = select(columns)
const detailed = select({ ...columns, activityId: o.activityId, text: o.text, format: o.format })
const numbered = select({ version: o.version })
const newest = select({ version: count('max(o.version)') })
const written = select({ text: o.text })

/**
 * The versions of an activity's text, newest first unless asked otherwise. Serves `GET …/activities/:activityId/versions`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on a `cursor` that is none
 */
export async function listTextVersions(
  ctx: Ctx,
  activityId: string,
  given: Partial<TextVersionQuery> = {},
): Promise<Page<TextVersion>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  if (!(await isActivity(ctx, activityId))) throw notFound('activity')
  const { cursor, ...request } = query
  return readPage(
    ctx,
    {
      select: listed,
      from: `from ${o}`,
      id: o.id,
      rows: ofActivity(ctx, activityId),
      filters: [cursor === undefined ? undefined : await afterVersion(ctx, activityId, cursor, query.order)],
      orderBy: `o.version ${query.order}`,
      request,
    },
    toVersion,
  )
}

/**
 * One version with its text. Serves `GET …/activities/:activityId/versions/:version`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getTextVersion(
  ctx: Ctx,
  activityId: string,
  version: number,
): Promise<TextVersionDetail> {
  const condition = where(ofActivity(ctx, activityId), equals(o.version, version))
  const row = await detailed.get(ctx.sql, `from ${o} where ${condition.sql}`, condition.params)
  if (!row) throw await noVersion(ctx, activityId)
  return toVersion(row)
}

/**
 * What changed from one version to another, word by word; of very long or very different ones more coarsely. By default the
 * last two. Serves `GET …/activities/:activityId/diff`.
 * @throws DomainError `NOT_FOUND`; `THROTTLED` when the caller has too many texts compared at the same time
 */
export async function diffTextVersions(
  ctx: Ctx,
  activityId: string,
  query: TextDiffQuery = {},
): Promise<TextDiff> {
  const to = query.to ?? (await newestVersion(ctx, activityId))
  const from = query.from ?? Math.max(0, to - 1)
  const [before, after] = [await textOf(ctx, activityId, from), await textOf(ctx, activityId, to)]
  const { parts, ...rest } = await compareTexts(ctx, before, after)
  return { from, to, changes: parts.map(({ change, text }) => ({ kind: change, text })), ...rest }
}

async function newestVersion(ctx: Ctx, activityId: string): Promise<number> {
  const condition = ofActivity(ctx, activityId)
  const row = await newest.get(ctx.sql, `from ${o} where ${condition.sql}`, condition.params)
  const version = row?.version ?? 0
  if (version === 0) throw await noVersion(ctx, activityId)
  return version
}

async function textOf(ctx: Ctx, activityId: string, version: number): Promise<string> {
  // Before the first version there was nothing: it needs an activity that has one.
  const condition = where(ofActivity(ctx, activityId), equals(o.version, Math.max(1, version)))
  const row = await written.get(ctx.sql, `from ${o} where ${condition.sql}`, condition.params)
  if (!row) throw await noVersion(ctx, activityId)
  return version === 0 ? '' : row.text
}

async function isActivity(ctx: Ctx, activityId: string): Promise<boolean> {
  const condition = where(within(ctx.scope, 'tenant_id'), equals('id', activityId))
  return exists(ctx.sql, `from activities where ${condition.sql}`, condition.params)
}

async function noVersion(ctx: Ctx, activityId: string): Promise<DomainError> {
  return (await isActivity(ctx, activityId)) ? notFound('version', { by: 'number' }) : notFound('activity')
}

function ofActivity(ctx: Ctx, activityId: string): Condition {
  return where(within(ctx.scope, 'o.tenant_id'), equals(o.activityId, activityId))
}

/** Versions go by their number: ids of two machines need not be in its order. */
async function afterVersion(
  ctx: Ctx,
  activityId: string,
  cursor: string,
  order: PageRequest['order'],
): Promise<Condition> {
  const list = { select: numbered, from: `from ${o}`, id: o.id, rows: ofActivity(ctx, activityId) }
  const { version } = await cursorRow(ctx, list, cursor)
  return { sql: `o.version ${order === 'asc' ? '>' : '<'} ?`, params: [version] }
}

function toVersion<R extends RowOf<typeof listed>>({ authorId, authorName, authorType, ...row }: R) {
  return { ...row, author: { id: authorId, name: authorName, type: authorType } }
}
