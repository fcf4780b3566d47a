import { actorName, type Ctx, type Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../../kernel/errors.ts'
import { flushOnce, transact } from '../../../../kernel/transact.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { CampaignMapping, type MappingRow } from '../entities.ts'
import { AdLimit, type AdLimitRow } from './entities.ts'
import { listAdLimits } from './limit-queries.ts'
import type { AdAccountLimit, NewAdLimit } from './limit-schemas.ts'
import { lockLimit } from './limits.ts'

/**
 * A person sets what an account may spend on a day; the audit has what it was before. It holds for what is planned or applied from now
 * on. Serves `PUT /tenant/v1/ads/limits` and `PUT /admin/v1/tenants/:tenantId/ad-limits`.
 * @throws DomainError `NOT_FOUND` for a tenant that there is not and for an account that no campaign of the tenant runs in; `VALIDATION_ERROR` on `currency` for another one
 *   than the account's, and on `platform` where accounts of several have this id and none is named; `CONFLICT` where two set the first limit of an account at once
 */
export async function setAdLimit(ctx: Ctx, tenantId: string, order: NewAdLimit): Promise<AdAccountLimit> {
  const { currency, dailyLimitMicros } = order
  const of = await transact(ctx, async (txn) => {
    if ((await txn.em.count(Tenant, { id: tenantId })) === 0) throw notFound('tenant')
    const mapping = await accountOf(txn, tenantId, order)
    if (mapping.currency !== currency)
      throw invalid('currency', `The account is in ${mapping.currency}, not in ${currency}`)
    const { platform, accountId } = mapping
    const known = await lockLimit(txn, mapping)
    const before = known && shown(known)
    const now = txn.clock.date()
    const limit =
      known ??
      txn.em.create(AdLimit, {
        id: txn.newId(),
        tenantId,
        platform,
        accountId,
        currency,
        dailyCapMicros: dailyLimitMicros,
        proposedOn: now.toISOString().slice(0, 10),
        setByName: null,
        runningMicros: null,
        runningOn: null,
        updatedOn: now,
      })
    const set = { currency, dailyCapMicros: dailyLimitMicros, setByName: actorName(txn), updatedOn: now }
    Object.assign(limit, set)
    await flushOnce(txn, new DomainError('CONFLICT', 'Someone else is setting this limit: try again'))
    txn.audit({
      tenantId,
      resourceType: 'ad_limit',
      resourceId: limit.id,
      ...(before && { before }),
      after: shown(limit),
    })
    return { platform, accountId }
  })
  const { data } = await listAdLimits(ctx, { tenantId, ...of })
  const [found] = data
  if (!found) throw notFound('account', { field: 'accountId' })
  return found
}

/** A campaign of the account that is meant. */
async function accountOf(
  txn: Transaction,
  tenantId: string,
  { platform, accountId }: NewAdLimit,
): Promise<MappingRow> {
  const found = await txn.em.find(CampaignMapping, { tenantId, accountId, ...(platform && { platform }) })
  const [first] = found
  if (!first) throw notFound('account', { field: 'accountId' })
  const platforms = [...new Set(found.map((one) => one.platform))].toSorted()
  if (platforms.length > 1)
    throw invalid('platform', `Accounts of ${platforms.join(' and ')} have this id: name the platform`)
  return first
}

const shown = ({ platform, accountId, currency, dailyCapMicros }: AdLimitRow) => ({
  platform,
  accountId,
  currency,
  dailyLimitMicros: dailyCapMicros,
})
