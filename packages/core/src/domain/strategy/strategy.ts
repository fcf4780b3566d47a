import { LockMode } from '@mikro-orm/core'
import type { ActivityRow } from '../activities/entities.ts'
import { command } from '../command.ts'
import type { OutputRow } from '../content/entities.ts'
import type { Command, Ctx } from '../context.ts'
import { oneTenant } from '../scope.ts'
import { Tenant } from '../tenants/entities.ts'
import { keepVersion, versionData, type VersionSubject } from '../versions/keep.ts'
import { getVersion, listVersions } from '../versions/queries.ts'
import type { VersionListQuery, VersionQuery } from '../versions/schemas.ts'
import { Strategy, StrategyDraft, type StrategyRow } from './entities.ts'
import { getStrategy } from './queries.ts'
import type { StrategyChange, StrategyState } from './schemas.ts'

/**
 * Writes the strategy of the context's tenant anew. Serves `PUT /tenant/v1/strategy`.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the caller could mean several tenants
 */
export function putStrategy(ctx: Ctx, { content }: StrategyChange): Promise<StrategyState> {
  return command(ctx, async (cmd) => {
    await keep(cmd, await lockStrategy(cmd, oneTenant(cmd)), content)
    return getStrategy({ ...cmd, sql: cmd.tx })
  })
}

/**
 * Puts a former strategy back, as a new version. Serves `POST /tenant/v1/strategy/versions/:version/restore`.
 * @throws DomainError `NOT_FOUND`
 */
export function restoreStrategy(ctx: Ctx, version: number): Promise<StrategyState> {
  return command(ctx, async (cmd) => {
    const strategy = await lockStrategy(cmd, oneTenant(cmd))
    const { content } = await versionData(cmd, subjectOf(strategy.tenantId), version)
    await keep(cmd, strategy, content as string, `Version ${version} put back`)
    return getStrategy({ ...cmd, sql: cmd.tx })
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
export async function strategyOf(cmd: Command, tenantId: string): Promise<string | undefined> {
  return (await cmd.em.findOne(Strategy, { tenantId }))?.content || undefined
}

/** Makes the approved text of an activity the strategy, where it was written for that; in the transaction of its end. */
export async function adoptStrategy(
  cmd: Command,
  activity: ActivityRow,
  output: OutputRow | null,
): Promise<void> {
  if (!output || activity.approvalType !== 'strategy_change') return
  if (!(await cmd.em.findOne(StrategyDraft, { activityId: activity.id }))) return
  const strategy = await lockStrategy(cmd, activity.tenantId)
  await keep(cmd, strategy, output.text, `Written by ${output.authorName}, and approved`)
}

/** A tenant's strategy, locked; one that says nothing is made where there is none. */
export async function lockStrategy(cmd: Command, tenantId: string): Promise<StrategyRow> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const
  const found = await cmd.em.findOne(Strategy, { tenantId }, lock)
  if (found) return found
  // Two may be about to make the first one.
  await cmd.em.findOneOrFail(Tenant, { id: tenantId }, { ...lock, refresh: true })
  const made = await cmd.em.findOne(Strategy, { tenantId }, lock)
  if (made) return made
  const strategy = cmd.em.create(Strategy, {
    tenantId,
    content: '',
    version: 0,
    updatedOn: cmd.clock.date(),
  })
  await cmd.em.flush()
  return strategy
}

async function keep(cmd: Command, strategy: StrategyRow, content: string, note?: string): Promise<void> {
  const { tenantId, version: former } = strategy
  const version = await keepVersion(cmd, {
    ...subjectOf(tenantId),
    ...(former > 0 && { before: { data: { content: strategy.content }, since: strategy.updatedOn } }),
    after: { content },
    ...(note !== undefined && { note }),
  })
  if (version !== former) {
    Object.assign(strategy, { content, version, updatedOn: cmd.clock.date() })
    cmd.audit({
      tenantId,
      resourceType: 'strategy',
      resourceId: tenantId,
      before: { version: former },
      after: { version },
    })
  }
  await cmd.em.flush()
}

const subjectOf = (tenantId: string): VersionSubject => ({ kind: 'strategy', subjectId: tenantId, tenantId })
