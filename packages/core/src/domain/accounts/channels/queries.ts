import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import type { Sql } from '../../../platform/database/database.ts'
import { leftTable, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { User } from '../identity/entities.ts'
import {
  ChannelConnection,
  type ChannelStatus,
  ConnectAttempt,
  channelNames,
  channelTypes,
} from './entities.ts'
import type { CredentialFields } from './ports.ts'
import type { Channel, ChannelList, IntegrationList } from './schemas.ts'

const c = table(ChannelConnection, 'c')
const u = leftTable(User, 'u')

const connection = select({
  ...pick(c, 'id', 'type', 'status', 'accountName', 'expiresAt', 'renewable', 'lastCheckedAt', 'connectedAt'),
  connectedBy: u.name,
})
type Connection = RowOf<typeof connection>

/** The channels of a tenant, connected or once connected, in the order of their types. */
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
export function statusNow(
  { status, expiresAt, renewable }: Pick<Connection, 'status' | 'expiresAt' | 'renewable'>,
  now: number,
): ChannelStatus {
  const over = expiresAt !== null && expiresAt.getTime() <= now && !renewable
  return status === 'connected' && over ? 'expired' : status
}

/** Every type of channel with how it can be connected, and whether it is. Serves `GET /dashboard/v1/integrations`. */
export async function listIntegrations(ctx: Ctx): Promise<IntegrationList> {
  const { channels, channelAuth } = ctx.services
  const found = await listChannels(ctx)
  const data = channelTypes.map((type) => {
    const channel = found.data.find((one) => one.type === type)
    const auth = channelAuth(type)
    const consent = channels.client(type) !== undefined || auth?.consent !== undefined
    return {
      type,
      name: channelNames[type],
      configured: consent || auth !== undefined,
      connected: channel?.status === 'connected',
      ...(channel?.accountName !== undefined && { accountName: channel.accountName }),
      consent,
      ...(auth && { credentials: formOf(auth.fields) }),
    }
  })
  return { data }
}

const formOf = ({ secret, ...fields }: CredentialFields) => ({ ...fields, secretName: secret })

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

const named = select({ id: c.id })

/** Connected accounts whose access token ends between two instants, with no refresh token to go on with. */
export async function endingConnections(ctx: Ctx, after: Date, before: Date): Promise<string[]> {
  const scope = within(ctx.scope, 'c.tenant_id')
  const rows = await named.all(
    ctx.sql,
    `from ${c} where c.status = 'connected' and c.renewable = ? and c.expires_at > ? and c.expires_at < ? and ${scope.sql} order by c.id`,
    [false, after, before, ...scope.params],
  )
  return rows.map(({ id }) => id)
}
