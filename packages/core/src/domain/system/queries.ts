import type { Row } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import type { SystemHealth } from './schemas.ts'

type Queue = SystemHealth['queues'][number]

const dayMs = 86_400_000

/** How the platform's own work stands, of all tenants and none. */
export async function jobNumbers(ctx: Ctx): Promise<Queue> {
  const now = ctx.clock.date()
  const row = await ctx.sql.get<Row>(
    `select
       (select count(*) from job where status = 'waiting' and run_at <= ?) as waiting,
       (select count(*) from job where status = 'waiting' and run_at > ?) as delayed,
       (select count(*) from job where status = 'running') as active,
       (select count(*) from job where status = 'dead' and finished_at > ?) as failed,
       (select count(*) from job where status = 'dead') as dead`,
    [now, now, new Date(now.getTime() - dayMs)],
  )
  return {
    name: 'jobs',
    waiting: asNumber(row?.waiting),
    active: asNumber(row?.active),
    delayed: asNumber(row?.delayed),
    failed: asNumber(row?.failed),
    deadLettered: asNumber(row?.dead),
  }
}
