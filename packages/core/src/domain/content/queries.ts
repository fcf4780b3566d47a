import type { Row } from '../../platform/database/database.ts'
import { asInstant, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { type DomainError, notFound } from '../errors.ts'
import { cursorRow, readPage } from '../page-queries.ts'
import { type Condition, equals, type Page, type PageRequest, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { compareTexts } from '../versions/comparisons.ts'
import type { OutputFormat } from './entities.ts'
import type { TextDiff, TextDiffQuery, TextVersion, TextVersionDetail, TextVersionQuery } from './schemas.ts'

const columns = `select o.id, o.version, o.sha256, o.author_id, o.author_name, o.author_type, o.created_on,
  case when exists (select 1 from approvals a where a.content_of = o.activity_id and a.content_hash = o.sha256
    and a.status = 'approved') then 1 else 0 end as approved`

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
  return readPage<Row, TextVersion>(
    ctx,
    {
      select: `${columns} from outputs o`,
      id: 'o.id',
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
  const condition = where(ofActivity(ctx, activityId), equals('o.version', version))
  const row = await ctx.sql.get<Row>(
    `${columns}, o.text, o.format from outputs o where ${condition.sql}`,
    condition.params,
  )
  if (!row) throw await noVersion(ctx, activityId)
  return {
    ...toVersion(row),
    activityId,
    text: row.text as string,
    format: row.format as OutputFormat,
  }
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
  const row = await ctx.sql.get<Row>(
    `select max(o.version) as version from outputs o where ${condition.sql}`,
    condition.params,
  )
  const version = asNumber(row?.version)
  if (version === 0) throw await noVersion(ctx, activityId)
  return version
}

async function textOf(ctx: Ctx, activityId: string, version: number): Promise<string> {
  // Before the first version there was nothing: it needs an activity that has one.
  const condition = where(ofActivity(ctx, activityId), equals('o.version', Math.max(1, version)))
  const row = await ctx.sql.get<Row>(`select o.text from outputs o where ${condition.sql}`, condition.params)
  if (!row) throw await noVersion(ctx, activityId)
  return version === 0 ? '' : (row.text as string)
}

async function isActivity(ctx: Ctx, activityId: string): Promise<boolean> {
  const condition = where(within(ctx.scope, 'tenant_id'), equals('id', activityId))
  return Boolean(
    await ctx.sql.get(`select 1 as one from activities where ${condition.sql}`, condition.params),
  )
}

async function noVersion(ctx: Ctx, activityId: string): Promise<DomainError> {
  return (await isActivity(ctx, activityId)) ? notFound('version', { by: 'number' }) : notFound('activity')
}

function ofActivity(ctx: Ctx, activityId: string): Condition {
  return where(within(ctx.scope, 'o.tenant_id'), equals('o.activity_id', activityId))
}

/** Versions go by their number: ids of two machines need not be in its order. */
async function afterVersion(
  ctx: Ctx,
  activityId: string,
  cursor: string,
  order: PageRequest['order'],
): Promise<Condition> {
  const list = { select: 'select o.version from outputs o', id: 'o.id', rows: ofActivity(ctx, activityId) }
  const last = await cursorRow(ctx, list, cursor)
  return { sql: `o.version ${order === 'asc' ? '>' : '<'} ?`, params: [asNumber(last.version)] }
}

function toVersion(row: Row): TextVersion {
  return {
    id: row.id as string,
    version: asNumber(row.version),
    author: {
      id: row.author_id as string,
      name: row.author_name as string,
      type: row.author_type as 'agent' | 'human',
    },
    contentHash: row.sha256 as string,
    approved: asNumber(row.approved) === 1,
    createdOn: asInstant(row.created_on),
  }
}
