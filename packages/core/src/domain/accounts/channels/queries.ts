import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import type { Sql } from '../../../platform/database/database.ts'
import { leftTable, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { User } from '../identity/entities.ts'
import { ChannelConnection, type ChannelStatus, ConnectAttempt, channelNames } from './entities.ts'
import type { Channel, ChannelList } from './schemas.ts'

const c = table(ChannelConnection, 'c')
const u = leftTable(User, 'u')

const connection = select({
  ...pick(c, 'id', 'type', 'status', 'accountName', 'expiresAt', 'renewable', 'lastCheckedAt', 'connectedAt'),
  connectedBy: u.name,
})
type Connection = RowOf<typeof connection>

/** The channels of a tenant, connected or once connected, in the order of their types. Serves `GET /dashboard/v1/channels`. */
export async function listChannels(ctx: Ctx): Promise<ChannelList> {
  const scope = within(ctx.scope, 'c.tenant_id')
  const rows = await connection.all(
    ctx.sql,
    `from ${c} left join ${u} on u.id = c.connected_by where ${scope.sql} order by c.tenant_id, c.type`,
    scope.params,
  )
  const now = ctx.clock.now()
  return { data: rows.map((row) => toChannel(row, now)) }
}

function toChannel(row: Connection, now: number): Channel {
  const { id, type, accountName, lastCheckedAt, connectedAt, connectedBy } = row
  return {
    id,
    name: channelNames[type],
    type,
    status: statusNow(row, now),
    ...(accountName !== null && { accountName }),
    ...(lastCheckedAt && { lastCheckedAt }),
    connectedAt,
    connectedBy: connectedBy ?? '',
  }
}

/** A connection ends with its access token, unless that can be renewed. */
function statusNow({ status, expiresAt, renewable }: Connection, now: number): ChannelStatus {
  const over = expiresAt !== null && expiresAt.getTime() <= now && !renewable
  return status === 'connected' && over ? 'expired' : status
}

const a = table(ConnectAttempt, 'a')

const owner = select(pick(a, 'id', 'tenantId', 'userId'))
/** Whose an attempt is. */
export type AttemptOwner = RowOf<typeof owner>

/**
 * Stands before any scope: the state finds out whose it is.
 * @param now those that have expired by then are unknown
 */
export function attemptByState(
  sql: Sql,
  platform: string,
  stateHash: string,
  now: Date,
): Promise<AttemptOwner | undefined> {
  return owner.get(sql, `from ${a} where a.state_hash = ? and a.platform = ? and a.expires_at > ?`, [
    stateHash,
    platform,
    now,
  ])
}
