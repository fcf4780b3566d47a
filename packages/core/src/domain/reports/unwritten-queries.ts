import type { Row } from '../../platform/database/database.ts'
import { asJson } from '../../platform/database/row.ts'
import type { JobFailure } from '../../platform/jobs/entities.ts'
import type { Ctx } from '../context.ts'
import { equals, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { writeJob } from './order.ts'

/** A report that is being written by nobody. */
export interface Unwritten {
  id: string
  /** Of the last try of its job; undefined where that is gone. */
  lastFailure: JobFailure | undefined
}

/**
 * Reports that are being written, and whose job neither waits nor is at work, the oldest first.
 * @param id looks at this one only
 */
export async function unwrittenReports(ctx: Ctx, id?: string): Promise<Unwritten[]> {
  const key = `'${writeJob}:' || p.id`
  const condition = where(
    within(ctx.scope, 'p.tenant_id'),
    equals('p.id', id),
    { sql: `p.status = 'generating'`, params: [] },
    {
      sql: `not exists (select 1 from job j where j.unique_key = ${key} and j.status in ('waiting', 'running'))`,
      params: [],
    },
  )
  const rows = await ctx.sql.all<Row>(
    `select p.id, (select j.failures from job j where j.status = 'dead' and j.unique_key = ${key} order by j.id desc limit 1) as failures
     from reports p where ${condition.sql} order by p.id limit 100`,
    condition.params,
  )
  return rows.map((row) => ({
    id: row.id as string,
    lastFailure: asJson<JobFailure[]>(row.failures)?.at(-1),
  }))
}
