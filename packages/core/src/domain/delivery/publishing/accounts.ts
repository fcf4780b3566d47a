import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { withAccess } from '../../accounts/channels/access.ts'
import { ChannelConnection } from '../../accounts/channels/entities.ts'
import { resumeChannelJob } from '../../accounts/channels/jobs.ts'
import { orUnprocessable } from '../../accounts/channels/own-server.ts'
import { accountKey } from './account-key.ts'
import type { PlatformAccount } from './connector.ts'
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
  const connector = ctx.services.connectors.get(row.type)
  const opensOne = row.auth === 'credentials' && !connector?.auth?.opensSeveral
  if (!connector?.accounts || opensOne)
    throw new DomainError('UNPROCESSABLE', 'This channel has one account: there is nothing to choose')
  return row
}

async function ask(ctx: Ctx, channelId: string): Promise<readonly PlatformAccount[]> {
  const { type } = await connected(ctx, channelId)
  const connector = ctx.services.connectors.get(type)
  return orUnprocessable(async () => {
    const found = await withAccess(ctx, channelId, { rules: connector?.rules ?? {} }, async (call) =>
      connector?.accounts?.(call),
    )
    return found ?? []
  })
}
