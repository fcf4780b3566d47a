import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { withAccess } from '../../accounts/channels/access.ts'
import { type ChannelAccount, ChannelConnection, type ChannelType } from '../../accounts/channels/entities.ts'
import { resumeChannelJob } from '../../accounts/channels/jobs.ts'
import { orUnprocessable } from '../../accounts/channels/own-server.ts'
import { PlatformError } from '../../accounts/channels/platform-error.ts'
import { accountKey } from './account-key.ts'
import type { Connector, PlatformAccount } from './connector.ts'
import { Publication } from './entities.ts'
import { lockConnection } from './lock.ts'
import type { AccountChoice, ChannelAccountList } from './schemas.ts'

/**
 * The pages or sites that a channel's consent opens; the platform is asked. Serves `GET /dashboard/v1/channels/:channelId/accounts`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` where there is one only, the channel is not connected, or the platform refuses
 */
export async function listAccounts(ctx: Ctx, channelId: string): Promise<ChannelAccountList> {
  const { account } = await connected(ctx, channelId)
  const found = await ask(ctx, channelId)
  const chosen = account && accountKey(account)
  return { data: found.map((one) => toItem(one, chosen)) }
}

/**
 * Says to which of them pieces go; what was held for it goes on. Serves `PUT /dashboard/v1/channels/:channelId/account`.
 * @throws DomainError as {@link listAccounts}; `CONFLICT` while something is being sent to another account; `VALIDATION_ERROR` on `account` for one that the consent does not open
 */
export async function chooseAccount(
  ctx: Ctx,
  channelId: string,
  { account: chosen }: AccountChoice,
): Promise<ChannelAccountList> {
  await connected(ctx, channelId)
  const found = await ask(ctx, channelId)
  const choice = found.find(({ account }) => accountKey(account) === chosen)
  if (!choice) throw invalid('account', 'The consent does not open this account')
  await transact(ctx, async (txn) => {
    const row = await lockConnection(txn, channelId)
    if (row?.status !== 'connected') throw notConnected()
    const { tenantId, accountName } = row
    const onItsWay = await txn.em.findOne(Publication, {
      channelId,
      status: { $in: ['sending', 'unknown'] },
      accountKey: { $ne: chosen },
    })
    if (row.account && onItsWay)
      throw new DomainError('CONFLICT', `“${onItsWay.title}” is being sent to another account: wait for it`)
    Object.assign(row, { account: choice.account, accountName: choice.name, updatedOn: txn.clock.date() })
    txn.enqueue(resumeChannelJob, { tenantId, payload: { channelId } })
    txn.audit({
      tenantId,
      resourceType: 'channel',
      resourceId: channelId,
      before: { accountName },
      after: { accountName: choice.name },
    })
  })
  return { data: found.map((one) => toItem(one, chosen)) }
}

const toItem = ({ name, account }: PlatformAccount, chosen: string | null) => {
  const id = accountKey(account)
  return { id, name, chosen: id === chosen }
}

const notConnected = () => new DomainError('UNPROCESSABLE', 'The channel is not connected')

async function connected(ctx: Ctx, id: string) {
  const row = await transact(ctx, (txn) => txn.em.findOne(ChannelConnection, { id }))
  if (!row) throw notFound('channel')
  if (row.status !== 'connected') throw notConnected()
  const { accounts, auth } = openedBy(ctx, row.type)
  const opensOne = row.auth === 'credentials' && !auth?.opensSeveral
  if (!accounts || opensOne)
    throw new DomainError('UNPROCESSABLE', 'This channel has one account: there is nothing to choose')
  return row
}

async function ask(ctx: Ctx, channelId: string): Promise<readonly PlatformAccount[]> {
  const { type } = await connected(ctx, channelId)
  const { rules = {}, accounts } = openedBy(ctx, type)
  return orUnprocessable(async () => {
    const found = await withAccess(ctx, channelId, { rules }, async (call) => accounts?.(call))
    return found ?? []
  })
}

/** What is known of a type of channel: pieces go to some, from others figures are read. */
function openedBy(
  { services }: Ctx,
  type: ChannelType,
): Partial<Pick<Connector, 'accounts' | 'rules' | 'auth'>> {
  return services.connectors.get(type) ?? services.websiteSources.get(type) ?? {}
}

/**
 * Takes the account of a consent that opens one only, and keeps it with the connection.
 * @returns undefined where a person has to choose
 * @throws PlatformError `policy` when it opens none
 */
export async function keepOnlyAccount(
  ctx: Ctx,
  channelId: string,
  [first, ...others]: readonly PlatformAccount[],
): Promise<ChannelAccount | undefined> {
  if (!first)
    throw new PlatformError('policy', 'The consent opens no account to work with: connect the channel again')
  if (others.length > 0) return undefined
  await transact(ctx, async (txn) => {
    const row = await lockConnection(txn, channelId)
    if (row && row.account === null) Object.assign(row, { account: first.account, accountName: first.name })
  })
  return first.account
}
