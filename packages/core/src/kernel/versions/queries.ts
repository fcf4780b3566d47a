import { pick, type RowOf, select, table } from '../../platform/database/read.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { compareData } from './comparisons.ts'
import { ConfigVersion } from './entities.ts'
import type { VersionSubject } from './save.ts'
import type { VersionDetail, VersionItem, VersionListQuery, VersionQuery } from './schemas.ts'

const v = table(ConfigVersion, 'v')
const columns = {
  ...pick(v, 'id', 'version', 'createdById', 'createdByName', 'createdOn', 'note'),
}
const item = select(columns)
const whole = select({ ...columns, data: v.data })

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
      select: item,
      from: `from ${v}`,
      id: v.id,
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
    const condition = where(ofSubject(ctx, subject), equals(v.version, wanted))
    const row = await whole.get(ctx.sql, `from ${v} where ${condition.sql}`, condition.params)
    if (!row) throw notFound('version', { by: 'number' })
    return row
  }
  const { data, ...row } = await read(version)
  if (against === undefined) return { ...toItem(row), data }
  const other = await read(against)
  return { ...toItem(row), data, against, changes: await compareData(ctx, other.data, data) }
}

function ofSubject(ctx: Ctx, { kind, subjectId, tenantId }: VersionSubject): Condition {
  return where(
    tenantId === null ? { sql: 'v.tenant_id is null', params: [] } : equals(v.tenantId, tenantId),
    // What belongs to the installation is for those who see all tenants.
    within(ctx.scope, 'v.tenant_id'),
    equals(v.kind, kind),
    equals(v.subjectId, subjectId),
  )
}

function toItem({ createdById, createdByName, ...row }: RowOf<typeof item>): VersionItem {
  return { ...row, createdBy: { id: createdById, name: createdByName } }
}
