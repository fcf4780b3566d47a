import type { Ctx } from '../../../kernel/context.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { select, table } from '../../../platform/database/read.ts'
import { KnowledgeFile } from '../datasets/entities.ts'
import { ingestJob } from './jobs.ts'

const f = table(KnowledgeFile, 'f')
const abandoned = select({ id: f.id })

const jobOf = (statuses: string) =>
  `exists (select 1 from job j where j.unique_key = '${ingestJob.kind}:' || f.id and j.status in (${statuses}))`

/**
 * Files whose ingestion is under way though its job neither waits nor is running, the oldest first. A file that waits to be
 * ingested by hand has no job either, and none that was given up.
 * @param id looks at this one only
 */
export async function abandonedFiles(ctx: Ctx, id?: string): Promise<string[]> {
  const condition = where(
    within(ctx.scope, 'f.tenant_id'),
    equals(f.id, id),
    {
      sql: `(f.status in ('parsing', 'embedding') or (f.status = 'pending' and ${jobOf("'dead'")}))`,
      params: [],
    },
    { sql: `not ${jobOf("'waiting', 'running'")}`, params: [] },
  )
  const rows = await abandoned.all(
    ctx.sql,
    `from ${f} where ${condition.sql} order by f.id limit 100`,
    condition.params,
  )
  return rows.map((row) => row.id)
}
