import { LockMode } from '@mikro-orm/core'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { toMicros } from '../money.ts'
import { skillSizes } from '../skills/queries.ts'
import type { PlanName } from '../tenants/billing-entities.ts'
import { keepVersion, versionData } from '../versions/keep.ts'
import { getVersion, listVersions } from '../versions/queries.ts'
import type { VersionListQuery, VersionQuery } from '../versions/schemas.ts'
import { MasterAgent } from './entities.ts'
import type { MasterChanges, MasterDetail, MasterItem } from './master-schemas.ts'
import { checkPlaceholders, promptPlaceholders } from './placeholders.ts'
import {
  checkedSkillIds,
  checkFallbacks,
  checkModel,
  masterSettings,
  masterVersions,
  type MasterRow,
  merged,
} from './settings.ts'

/** All master agents by role. Serves `GET /admin/v1/agent-configs`. */
export function listMasters(ctx: Ctx): Promise<{ data: MasterItem[] }> {
  return command(ctx, async (cmd) => ({
    data: (await cmd.em.find(MasterAgent, {}, { orderBy: { role: 'asc' } })).map(toItem),
  }))
}

/** Serves `GET /admin/v1/agent-configs/:agentRole`. @throws DomainError `NOT_FOUND` */
export function getMaster(ctx: Ctx, role: string): Promise<MasterDetail> {
  return command(ctx, async (cmd) => toDetail(await findMaster(cmd, role)))
}

/**
 * Changes a master; what is not named stays as it is. Tenants that have set nothing of their own in these fields work with
 * the new values from their next run on. Serves `PATCH /admin/v1/agent-configs/:agentRole`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` for a model, a skill or a placeholder that is not there
 */
export function changeMaster(ctx: Ctx, role: string, changes: MasterChanges): Promise<MasterDetail> {
  return command(ctx, async (cmd) => applyTo(cmd, await lockMaster(cmd, role), changes))
}

/**
 * Puts a version of a master back, as a new version. Skills that are gone meanwhile stay gone.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when something that it names is not there any more
 */
export function restoreMaster(ctx: Ctx, role: string, version: number): Promise<MasterDetail> {
  return command(ctx, async (cmd) => {
    const master = await lockMaster(cmd, role)
    const data = (await versionData(cmd, masterVersions(role), version)) as Required<MasterChanges>
    const known = await skillSizes(cmd, null, data.defaultSkillIds)
    const defaultSkillIds = data.defaultSkillIds.filter((id) => known.has(id))
    return applyTo(cmd, master, { ...data, defaultSkillIds }, `Version ${version} put back`).catch(outdated)
  })
}

/** @throws DomainError `NOT_FOUND` for a role that there is not */
export async function masterHistory(ctx: Ctx, role: string, query?: Partial<VersionListQuery>) {
  await getMaster(ctx, role)
  return listVersions(ctx, masterVersions(role), query)
}

/** @throws DomainError `NOT_FOUND` */
export function masterVersion(ctx: Ctx, role: string, version: number, query?: VersionQuery) {
  return getVersion(ctx, masterVersions(role), version, query)
}

/** @throws DomainError `NOT_FOUND` */
export async function lockMaster(cmd: Command, role: string): Promise<MasterRow> {
  return findMaster(cmd, role, LockMode.PESSIMISTIC_WRITE)
}

/** What was right when a version was made may not be so any more: that is nobody's input. */
export function outdated(error: unknown): never {
  if (!(error instanceof DomainError) || error.code !== 'VALIDATION_ERROR') throw error
  throw new DomainError('UNPROCESSABLE', `This version cannot be put back: ${error.message}`)
}

/** Changes a master that is locked, and puts it on the record. */
async function applyTo(
  cmd: Command,
  master: MasterRow,
  changes: MasterChanges,
  note?: string,
): Promise<MasterDetail> {
  const before = masterSettings(master)
  const since = master.updatedOn
  const { defaultModel, defaultTools, defaultSkillIds, maxCostUsdPerActivity: most, adapterConfig } = changes
  if (defaultModel !== undefined) checkModel(cmd, defaultModel, 'defaultModel', master.defaultModel)
  checkFallbacks(cmd, adapterConfig?.fallbackModels, master.adapterConfig.fallbackModels)
  if (adapterConfig?.promptTemplate !== undefined)
    checkPlaceholders(adapterConfig.promptTemplate, 'adapterConfig.promptTemplate')
  master.defaultModel = defaultModel ?? master.defaultModel
  if (defaultTools) master.defaultTools = [...new Set(defaultTools)]
  if (defaultSkillIds) master.defaultSkillIds = await checkedSkillIds(cmd, defaultSkillIds, 'defaultSkillIds')
  if (changes.isAvailableOnPlans)
    master.isAvailableOnPlans = [...new Set<PlanName>(changes.isAvailableOnPlans)]
  if (most !== undefined) master.maxCostMicrosPerActivity = most === null ? null : toMicros(most)
  master.defaultConcurrency = changes.defaultConcurrency ?? master.defaultConcurrency
  if (adapterConfig) master.adapterConfig = merged(master.adapterConfig, adapterConfig)
  await keepMaster(cmd, master, { before, since, ...(note !== undefined && { note }) })
  return toDetail(master)
}

/** Keeps what was changed about a master that is locked as a version and in the audit; nothing where nothing was. */
export async function keepMaster(
  cmd: Command,
  master: MasterRow,
  was: { before: ReturnType<typeof masterSettings>; since: Date; note?: string },
): Promise<void> {
  const { role } = master
  const { before, since, ...note } = was
  const after = masterSettings(master)
  const kept = { before: { data: before, since }, after, ...note }
  const version = await keepVersion(cmd, { ...masterVersions(role), ...kept })
  if (JSON.stringify(before) !== JSON.stringify(after)) master.updatedOn = cmd.clock.date()
  cmd.audit({
    tenantId: null,
    resourceType: 'agent_config',
    resourceId: role,
    before,
    after: { ...after, version },
  })
}

async function findMaster(cmd: Command, role: string, lockMode = LockMode.NONE): Promise<MasterRow> {
  const master = await cmd.em.findOne(MasterAgent, { role }, { lockMode })
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
