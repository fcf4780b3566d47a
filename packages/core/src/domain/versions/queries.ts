import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { compareData } from './comparisons.ts'
import type { VersionData } from './entities.ts'
import type { VersionSubject } from './keep.ts'
import type { VersionDetail, VersionItem, VersionListQuery, VersionQuery } from './schemas.ts'

const columns = 'select v.id, v.version, v.created_by_id, v.created_by_name, v.created_on, v.note'

/** The versions of a subject without what they hold, newest first. */
export function listVersions(
  ctx: Ctx,
  subject: VersionSubject,
  given: Partial<VersionListQuery> = {},
): Promise<Page<VersionItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: `${columns} from config_versions v`,
      id: 'v.id',
      rows: ofSubject(ctx, subject),
      request: query,
    },
    toItem,
  )
}

/**
 * One version with what it holds and, with `against`, what changed from that version to it.
 * @throws DomainError `NOT_FOUND`; `THROTTLED` when the caller has too many texts compared at the same time
 */
export async function getVersion(
  ctx: Ctx,
  subject: VersionSubject,
  version: number,
  { against }: VersionQuery = {},
): Promise<VersionDetail> {
  const read = async (wanted: number) => {
    const condition = where(ofSubject(ctx, subject), equals('v.version', wanted))
    const row = await ctx.sql.get<Row>(
      `${columns}, v.data from config_versions v where ${condition.sql}`,
      condition.params,
    )
    if (!row) throw notFound('version', { by: 'number' })
    return { item: toItem(row), data: asJson<VersionData>(row.data) ?? {} }
  }
  const { item, data } = await read(version)
  if (against === undefined) return { ...item, data }
  const other = await read(against)
  return { ...item, data, against, changes: await compareData(ctx, other.data, data) }
}

function ofSubject(ctx: Ctx, { kind, subjectId, tenantId }: VersionSubject): Condition {
  return where(
    tenantId === null ? { sql: 'v.tenant_id is null', params: [] } : equals('v.tenant_id', tenantId),
    // What belongs to the installation is for those who see all tenants.
    within(ctx.scope, 'v.tenant_id'),
    equals('v.kind', kind),
    equals('v.subject_id', subjectId),
  )
}

function toItem(row: Row): VersionItem {
  return {
    id: row.id as string,
    version: row.version as number,
    createdBy: { id: row.created_by_id as string, name: row.created_by_name as string },
    createdOn: asInstant(row.created_on),
    note: row.note as string | null,
  }
}
