import type { Row } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { oneTenant, within } from '../scope.ts'

/** The cap of a tenant's month in micro-dollars, null for none, and the zone that its days are counted in. */
export async function monthlyCap(ctx: Ctx): Promise<{ capMicros: number | null; timezone: string }> {
  const scope = within(ctx.scope, 'id')
  const row = await ctx.sql.get<Row>(
    `select spend_cap_micros, timezone from tenants where id = ? and ${scope.sql}`,
    [oneTenant(ctx), ...scope.params],
  )
  if (!row) throw notFound('tenant')
  return {
    capMicros: row.spend_cap_micros === null ? null : asNumber(row.spend_cap_micros),
    timezone: row.timezone as string,
  }
}
