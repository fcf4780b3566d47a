import type { Row } from '../../platform/database/database.ts'
import { asDate, asInstant } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { within } from '../scope.ts'
import type { Channel, ChannelList } from './schemas.ts'
import { channelNames, type ChannelStatus, type ChannelType } from './types.ts'

/** The channels of a tenant, connected or once connected, in the order of their types. Serves `GET /dashboard/v1/channels`. */
export async function listChannels(ctx: Ctx): Promise<ChannelList> {
  const scope = within(ctx.scope, 'c.tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select c.id, c.type, c.status, c.account_name, c.expires_at, c.renewable, c.last_checked_at, c.connected_at, u.name as connected_by
     from channel_connections c left join users u on u.id = c.connected_by
     where ${scope.sql} order by c.tenant_id, c.type`,
    scope.params,
  )
  const now = ctx.clock.now()
  return { data: rows.map((row) => toChannel(row, now)) }
}

function toChannel(row: Row, now: number): Channel {
  const type = row.type as ChannelType
  const accountName = row.account_name as string | null
  const lastCheckedAt = asDate(row.last_checked_at)
  return {
    id: row.id as string,
    name: channelNames[type],
    type,
    status: statusNow(row, now),
    ...(accountName !== null && { accountName }),
    ...(lastCheckedAt && { lastCheckedAt }),
    connectedAt: asInstant(row.connected_at),
    connectedBy: (row.connected_by as string | null) ?? '',
  }
}

/** A connection ends with its access token, unless that can be renewed. */
function statusNow(row: Row, now: number): ChannelStatus {
  const status = row.status as ChannelStatus
  const expiresAt = asDate(row.expires_at)
  const over = expiresAt !== null && expiresAt.getTime() <= now && !row.renewable
  return status === 'connected' && over ? 'expired' : status
}
