import type { Ctx } from '../../../kernel/context.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { like, nullable, select, table } from '../../../platform/database/read.ts'
import { Job, type JobFailure } from '../../../platform/jobs/entities.ts'
import { Report } from './entities.ts'
import { writeReportJob } from './jobs.ts'

const p = table(Report, 'p')
const key = `'${writeReportJob.kind}:' || p.id`
const unwritten = select({
  id: p.id,
  failures: nullable(
    like(
      table(Job, 'j').failures,
      `(select j.failures from job j where j.status = 'dead' and j.unique_key = ${key} order by j.id desc limit 1)`,
    ),
  ),
})

/** A report that is being written by no one. */
export interface Unwritten {
  id: string
  /** Of the last try of its job; undefined where that is gone. */
  lastFailure: JobFailure | undefined
}

/**
 * Reports that are being written, and whose job neither waits nor is running, the oldest first.
 * @param id looks at this one only
 */
export async function unwrittenReports(ctx: Ctx, id?: string): Promise<Unwritten[]> {
  const condition = where(
    within(ctx.scope, 'p.tenant_id'),
    equals(p.id, id),
    { sql: `p.status = 'generating'`, params: [] },
    {
      sql: `not exists (select 1 from job j where j.unique_key = ${key} and j.status in ('waiting', 'running'))`,
      params: [],
    },
  )
  const rest = `from ${p} where ${condition.sql} order by p.id limit 100`
  const rows = await unwritten.all(ctx.sql, rest, condition.params)
  return rows.map(({ id, failures }) => ({ id, lastFailure: failures?.at(-1) }))
}
