import type { Ctx } from '../../../kernel/context.ts'
import { count, select, text } from '../../../platform/database/read.ts'
import type { SystemHealth } from './schemas.ts'

const dayMs = 86_400_000

const queue = select({
  name: text("'jobs'"),
  waiting: count("(select count(*) from job where status = 'waiting' and run_at <= ?)"),
  delayed: count("(select count(*) from job where status = 'waiting' and run_at > ?)"),
  active: count("(select count(*) from job where status = 'running')"),
  failed: count("(select count(*) from job where status = 'dead' and finished_at > ?)"),
  deadLettered: count("(select count(*) from job where status = 'dead')"),
})

/** How the platform's own work stands, of all tenants and none. */
export function jobNumbers(ctx: Ctx): Promise<SystemHealth['queues']> {
  const now = ctx.clock.date()
  return queue.all(ctx.sql, '', [now, now, new Date(now.getTime() - dayMs)])
}
