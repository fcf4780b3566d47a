import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { toMicros } from '../../../kernel/money.ts'
import { transact } from '../../../kernel/transact.ts'
import { getVersion, listVersions } from '../../../kernel/versions/queries.ts'
import { saveVersion, versionData } from '../../../kernel/versions/save.ts'
import type { VersionListQuery, VersionQuery } from '../../../kernel/versions/schemas.ts'
import type { PlanName } from '../../accounts/billing/plans/entities.ts'
import { skillSizes } from '../skills/queries.ts'
import type { MasterChanges, MasterDetail, MasterItem } from './default-agent-schemas.ts'
import { DefaultAgent } from './entities.ts'
import {
  checkedSkillIds,
  checkFallbacks,
  checkModel,
  checkPlaceholders,
  type MasterRow,
  masterSettings,
  masterVersions,
  merged,
  promptPlaceholders,
} from './settings.ts'

/** All master agents by role. Serves `GET /admin/v1/agent-configs`. */
export function listDefaultAgents(ctx: Ctx): Promise<{ data: MasterItem[] }> {
  return transact(ctx, async (txn) => ({
    data: (await txn.em.find(DefaultAgent, {}, { orderBy: { role: 'asc' } })).map(toItem),
  }))
}

/** Serves `GET /admin/v1/agent-configs/:agentRole`. @throws DomainError `NOT_FOUND` */
export function getDefaultAgent(ctx: Ctx, role: string): Promise<MasterDetail> {
  return transact(ctx, async (txn) => toDetail(await findMaster(txn, role)))
}

/**
 * Changes a master; what is not named stays as it is. Tenants that have set nothing of their own in these fields work with
 * the new values from their next run on. Serves `PATCH /admin/v1/agent-configs/:agentRole`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` for a model, a skill or a placeholder that is not there
 */
export function changeDefaultAgent(ctx: Ctx, role: string, changes: MasterChanges): Promise<MasterDetail> {
  return transact(ctx, async (txn) => applyTo(txn, await lockMaster(txn, role), changes))
}

/**
 * Puts a version of a master back, as a new version. Skills that are gone meanwhile stay gone.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when something that it names is not there any more
 */
export function restoreDefaultAgent(ctx: Ctx, role: string, version: number): Promise<MasterDetail> {
  return transact(ctx, async (txn) => {
    const master = await lockMaster(txn, role)
    const data = (await versionData(txn, masterVersions(role), version)) as Required<MasterChanges>
    const known = await skillSizes(txn, null, data.defaultSkillIds)
    const defaultSkillIds = data.defaultSkillIds.filter((id) => known.has(id))
    return applyTo(txn, master, { ...data, defaultSkillIds }, `Version ${version} put back`).catch(outdated)
  })
}

/** @throws DomainError `NOT_FOUND` for a role that there is not */
export async function defaultAgentHistory(ctx: Ctx, role: string, query?: Partial<VersionListQuery>) {
  await getDefaultAgent(ctx, role)
  return listVersions(ctx, masterVersions(role), query)
}

/** @throws DomainError `NOT_FOUND` */
export function defaultAgentVersion(ctx: Ctx, role: string, version: number, query?: VersionQuery) {
  return getVersion(ctx, masterVersions(role), version, query)
}

/** @throws DomainError `NOT_FOUND` */
export async function lockMaster(txn: Transaction, role: string): Promise<MasterRow> {
  return findMaster(txn, role, LockMode.PESSIMISTIC_WRITE)
}

/** What was right when a version was made may not be so any more: that is no one's input. */
export function outdated(error: unknown): never {
  if (!(error instanceof DomainError) || error.code !== 'VALIDATION_ERROR') throw error
  throw new DomainError('UNPROCESSABLE', `This version cannot be put back: ${error.message}`)
}

/** Changes a master that is locked, and puts it on the record. */
async function applyTo(
  txn: Transaction,
  master: MasterRow,
  changes: MasterChanges,
  note?: string,
): Promise<MasterDetail> {
  const before = masterSettings(master)
  const since = master.updatedOn
  const { defaultModel, defaultTools, defaultSkillIds, maxCostUsdPerActivity: most, adapterConfig } = changes
  if (defaultModel !== undefined) checkModel(txn, defaultModel, 'defaultModel', master.defaultModel)
  checkFallbacks(txn, adapterConfig?.fallbackModels, master.adapterConfig.fallbackModels)
  if (adapterConfig?.promptTemplate !== undefined)
    checkPlaceholders(adapterConfig.promptTemplate, 'adapterConfig.promptTemplate')
  master.defaultModel = defaultModel ?? master.defaultModel
  if (defaultTools) master.defaultTools = [...new Set(defaultTools)]
  if (defaultSkillIds) master.defaultSkillIds = await checkedSkillIds(txn, defaultSkillIds, 'defaultSkillIds')
  if (changes.isAvailableOnPlans)
    master.isAvailableOnPlans = [...new Set<PlanName>(changes.isAvailableOnPlans)]
  if (most !== undefined) master.maxCostMicrosPerActivity = most === null ? null : toMicros(most)
  master.defaultConcurrency = changes.defaultConcurrency ?? master.defaultConcurrency
  if (adapterConfig) master.adapterConfig = merged(master.adapterConfig, adapterConfig)
  await saveDefaultAgent(txn, master, { before, since, ...(note !== undefined && { note }) })
  return toDetail(master)
}

/** Keeps what was changed about a master that is locked as a version and in the audit; nothing where nothing was. */
export async function saveDefaultAgent(
  txn: Transaction,
  master: MasterRow,
  was: { before: ReturnType<typeof masterSettings>; since: Date; note?: string },
): Promise<void> {
  const { role } = master
  const { before, since, ...note } = was
  const after = masterSettings(master)
  const kept = { before: { data: before, since }, after, ...note }
  const version = await saveVersion(txn, { ...masterVersions(role), ...kept })
  if (JSON.stringify(before) !== JSON.stringify(after)) master.updatedOn = txn.clock.date()
  txn.audit({
    tenantId: null,
    resourceType: 'agent_config',
    resourceId: role,
    before,
    after: { ...after, version },
  })
}

async function findMaster(txn: Transaction, role: string, lockMode = LockMode.NONE): Promise<MasterRow> {
  const master = await txn.em.findOne(DefaultAgent, { role }, { lockMode })
  if (!master) throw notFound('agent', { by: 'role' })
  return master
}

function toItem(master: MasterRow): MasterItem {
  const { role, name, description, defaultAdapter, updatedOn } = master
  const { adapterConfig: _detail, ...settings } = masterSettings(master)
  return { role, name, description, ...settings, defaultAdapter, lastUpdatedOn: updatedOn }
}

function toDetail(master: MasterRow): MasterDetail {
  const { adapterConfig } = masterSettings(master)
  return { ...toItem(master), adapterConfig, placeholders: Object.keys(promptPlaceholders) }
}
