import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { ActivitySource } from './entities.ts'
import type { PieceSource } from './schemas.ts'

const s = table(ActivitySource, 's')
const source = select(
  pick(
    s,
    'n',
    'kind',
    'activityId',
    'title',
    'text',
    'chunkId',
    'fileId',
    'datasetId',
    'heading',
    'page',
    'url',
    'createdOn',
  ),
)

/** More than this many are not shown of one piece. */
const mostShown = 200

/** A text and the activities that it was made in: its own, and those of the steps before it. */
export interface SourcedPiece {
  activityIds: readonly string[]
  text: string | null
}

/**
 * What the agents of some activities, and of their subtasks, were given while they made a piece; what its text names comes first.
 */
export async function sourcesOf(ctx: Ctx, { activityIds, text }: SourcedPiece): Promise<PieceSource[]> {
  if (activityIds.length === 0) return []
  const scope = within(ctx.scope, 's.tenant_id')
  const ids = placeholders(activityIds)
  const rows = await source.all(
    ctx.sql,
    `from ${s} where (s.activity_id in (${ids})
       or s.activity_id in (select id from activities where parent_activity_id in (${ids})))
       and ${scope.sql} order by s.n, s.id limit ${mostShown}`,
    [...activityIds, ...activityIds, ...scope.params],
  )
  const cited = new Set([...(text ?? '').matchAll(/\[(\d{1,4})\]/g)].map(([, n]) => Number(n)))
  return rows
    .map((row) => toSource(row, cited.has(row.n)))
    .toSorted((one, other) => Number(other.cited) - Number(one.cited))
}

function toSource(row: RowOf<typeof source>, cited: boolean): PieceSource {
  const { chunkId, fileId, datasetId, heading, page, url, ...rest } = row
  return {
    ...rest,
    cited,
    ...(chunkId && { chunkId }),
    ...(fileId && { fileId }),
    ...(datasetId && { datasetId }),
    ...(heading && { heading }),
    ...(page && { page }),
    ...(url && { url }),
  }
}
