import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { getVersion, listVersions } from '../../../kernel/versions/queries.ts'
import { saveVersion, type VersionSubject, versionData } from '../../../kernel/versions/save.ts'
import type { VersionListQuery, VersionQuery } from '../../../kernel/versions/schemas.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import type { ActivityRow } from '../activities/entities.ts'
import type { OutputRow } from '../content/entities.ts'
import { Strategy, StrategyDraft, type StrategyRow } from './entities.ts'
import { getStrategy } from './queries.ts'
import type { StrategyChange, StrategyState } from './schemas.ts'

/**
 * Writes the strategy of the context's tenant again. Serves `PUT /tenant/v1/strategy`.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the caller could mean several tenants
 */
export function putStrategy(ctx: Ctx, { content }: StrategyChange): Promise<StrategyState> {
  return transact(ctx, async (txn) => {
    await keep(txn, await lockStrategy(txn, oneTenant(txn)), content)
    return getStrategy(txn)
  })
}

/**
 * Puts a former strategy back, as a new version. Serves `POST /tenant/v1/strategy/versions/:version/restore`.
 * @throws DomainError `NOT_FOUND`
 */
export function restoreStrategy(ctx: Ctx, version: number): Promise<StrategyState> {
  return transact(ctx, async (txn) => {
    const strategy = await lockStrategy(txn, oneTenant(txn))
    const { content } = await versionData(txn, subjectOf(strategy.tenantId), version)
    await keep(txn, strategy, content as string, `Version ${version} put back`)
    return getStrategy(txn)
  })
}

/** Every strategy that there was, newest first. Serves `GET /tenant/v1/strategy/versions`. */
export async function strategyHistory(ctx: Ctx, query?: Partial<VersionListQuery>) {
  return listVersions(ctx, subjectOf(oneTenant(ctx)), query)
}

/** @throws DomainError `NOT_FOUND` */
export async function strategyVersion(ctx: Ctx, version: number, query?: VersionQuery) {
  return getVersion(ctx, subjectOf(oneTenant(ctx)), version, query)
}

/** The text that a tenant's agents follow; undefined while there is none. */
export async function strategyOf(txn: Transaction, tenantId: string): Promise<string | undefined> {
  return (await txn.em.findOne(Strategy, { tenantId }))?.content || undefined
}

/** Makes the approved text of an activity the strategy, where it was written for that; in the transaction of its end. */
export async function adoptStrategy(
  txn: Transaction,
  activity: ActivityRow,
  output: OutputRow | null,
): Promise<void> {
  if (!output || activity.approvalType !== 'strategy_change') return
  if (!(await txn.em.findOne(StrategyDraft, { activityId: activity.id }))) return
  const strategy = await lockStrategy(txn, activity.tenantId)
  await keep(txn, strategy, output.text, `Written by ${output.authorName}, and approved`)
}

/** A tenant's strategy, locked; one that says nothing is made where there is none. */
export async function lockStrategy(txn: Transaction, tenantId: string): Promise<StrategyRow> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const
  const found = await txn.em.findOne(Strategy, { tenantId }, lock)
  if (found) return found
  // Two may be about to make the first one.
  await txn.em.findOneOrFail(Tenant, { id: tenantId }, { ...lock, refresh: true })
  const made = await txn.em.findOne(Strategy, { tenantId }, lock)
  if (made) return made
  const strategy = txn.em.create(Strategy, {
    tenantId,
    content: '',
    version: 0,
    updatedOn: txn.clock.date(),
  })
  await txn.em.flush()
  return strategy
}

async function keep(txn: Transaction, strategy: StrategyRow, content: string, note?: string): Promise<void> {
  const { tenantId, version: former } = strategy
  const version = await saveVersion(txn, {
    ...subjectOf(tenantId),
    ...(former > 0 && { before: { data: { content: strategy.content }, since: strategy.updatedOn } }),
    after: { content },
    ...(note !== undefined && { note }),
  })
  if (version !== former) {
    Object.assign(strategy, { content, version, updatedOn: txn.clock.date() })
    txn.audit({
      tenantId,
      resourceType: 'strategy',
      resourceId: tenantId,
      before: { version: former },
      after: { version },
    })
  }
  await txn.em.flush()
}

const subjectOf = (tenantId: string): VersionSubject => ({ kind: 'strategy', subjectId: tenantId, tenantId })
