import { LockMode } from '@mikro-orm/core'
import { sha256Hex } from '../../platform/crypto/hash.ts'
import { actorName } from '../actor.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { flushOnce } from '../flush-once.ts'
import { oneTenant } from '../scope.ts'
import { ConfigVersion } from '../versions/entities.ts'
import { keepVersion, versionData, type VersionSubject } from '../versions/keep.ts'
import { requireRoom } from '../tenants/quota-queries.ts'
import { getVersion, listVersions } from '../versions/queries.ts'
import type { VersionListQuery, VersionQuery } from '../versions/schemas.ts'
import { assignSkill, checkWeight, withdrawFromTenants } from './assign.ts'
import { Skill, type SkillReference, type SkillRow, type SkillScope } from './entities.ts'
import { getSkill, skillSizes } from './queries.ts'
import { readFiles, readSkill, type SkillFiles, sizeOf } from './read-file.ts'
import { maxSkillBytes, type NewSkill, type SkillChanges, type SkillDetail } from './schemas.ts'

/** More than this many of its own a tenant cannot have. */
const maxOwn = 500

/**
 * Takes a skill from a Markdown file. Serves `POST /admin/v1/skills` and `POST /dashboard/v1/skills`.
 * @throws DomainError `VALIDATION_ERROR`; `CONFLICT` when the name is taken; `PAYLOAD_TOO_LARGE`; `UNPROCESSABLE` when an
 *   agent would have too much to read, or a tenant too many skills. `PAYLOAD_TOO_LARGE` with `details.quota` says whose quota
 *   is used up
 */
export async function createSkill(
  ctx: Ctx,
  scope: SkillScope,
  form: NewSkill,
  files: SkillFiles,
): Promise<SkillDetail> {
  const { source, references = [] } = await readFiles(files)
  if (!source) throw invalid('file', 'A skill is a Markdown file')
  const name = form.name ?? source.name
  const description = form.description ?? source.description
  if (name === undefined) throw invalid('name', 'Give a name, here or in the front matter of the file')
  if (description === undefined)
    throw invalid('description', 'Say when to use it, here or in the front matter of the file')
  const { content } = source
  const sizeBytes = sizeOf({ content, references }, maxSkillBytes[scope])
  return command(ctx, async (cmd) => {
    const tenantId = ownerOf(cmd, scope)
    if (tenantId !== null && (await cmd.em.count(Skill, { tenantId })) >= maxOwn)
      throw new DomainError(
        'UNPROCESSABLE',
        `There are ${maxOwn} skills already; delete one that is not used`,
      )
    const now = cmd.clock.date()
    const skill = cmd.em.create(Skill, {
      id: cmd.newId(),
      tenantId,
      name,
      description,
      content,
      references,
      forAllRoles: form.agentRoles.includes('all'),
      sizeBytes,
      createdById: cmd.actor.id,
      createdByName: actorName(cmd),
      createdOn: now,
      updatedOn: now,
    })
    await flushOnce(cmd, taken(name))
    const agentRoles = await assignSkill(cmd, tenantId, skill.id, form.agentRoles)
    await checkWeight(cmd, tenantId, skill.id)
    await requireRoom({ ...cmd, sql: cmd.tx }, tenantId, sizeBytes)
    const version = await keepVersion(cmd, { ...versionsOf(skill), after: dataOf(skill) })
    record(cmd, skill, { after: { ...summary(skill), agentRoles, version } })
    await cmd.em.flush()
    return getSkill(cmd, scope, skill.id)
  })
}

/**
 * Changes a skill; what is not named stays as it is. A new text comes with a file or as `content`.
 * Serves `PATCH /admin/v1/skills/:skillId` and `PATCH /dashboard/v1/skills/:skillId`.
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant with a skill of the installation; else as `createSkill`
 */
export async function changeSkill(
  ctx: Ctx,
  scope: SkillScope,
  id: string,
  changes: SkillChanges,
  files: SkillFiles,
): Promise<SkillDetail> {
  const read = await readFiles(files)
  const source =
    read.source ?? (changes.content === undefined ? undefined : readSkill(changes.content, 'content'))
  return command(ctx, async (cmd) => {
    const skill = await lockSkill(cmd, scope, id)
    const was = { data: dataOf(skill), since: skill.updatedOn, summary: summary(skill) }
    const rolesBefore = (await getSkill(cmd, scope, id)).assignedAgents
    skill.name = changes.name ?? source?.name ?? skill.name
    skill.description = changes.description ?? source?.description ?? skill.description
    skill.content = source?.content ?? skill.content
    skill.references = read.references ?? changes.references ?? skill.references
    const agentRoles = changes.agentRoles
      ? await assignSkill(cmd, skill.tenantId, id, [changes.agentRoles].flat())
      : rolesBefore
    if (changes.agentRoles) skill.forAllRoles = changes.agentRoles.includes('all')
    return keepSkill(cmd, scope, skill, was, { before: rolesBefore, after: agentRoles })
  })
}

/**
 * Puts a version of a skill back, as a new version; who has the skill stays as it is.
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant with a skill of the installation; `CONFLICT` when its name is
 *   taken; `UNPROCESSABLE` when an agent would have too much to read
 */
export function restoreSkill(ctx: Ctx, scope: SkillScope, id: string, version: number): Promise<SkillDetail> {
  return command(ctx, async (cmd) => {
    const skill = await lockSkill(cmd, scope, id)
    const was = { data: dataOf(skill), since: skill.updatedOn, summary: summary(skill) }
    const data = (await versionData(cmd, versionsOf(skill), version)) as ReturnType<typeof dataOf>
    const { references, ...texts } = data
    Object.assign(skill, texts)
    skill.references = Object.entries(references).map(([name, content]) => ({ name, content }))
    const roles = (await getSkill(cmd, scope, id)).assignedAgents
    return keepSkill(cmd, scope, skill, was, { before: roles, after: roles }, `Version ${version} put back`)
  })
}

/**
 * Deletes a skill with its versions; agents that had it lose it silently. Serves `DELETE /admin/v1/skills/:skillId` and
 * `DELETE /dashboard/v1/skills/:skillId`.
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant with a skill of the installation
 */
export function deleteSkill(ctx: Ctx, scope: SkillScope, id: string): Promise<void> {
  return command(ctx, async (cmd) => {
    const skill = await lockSkill(cmd, scope, id)
    const before = { ...summary(skill), agentRoles: (await getSkill(cmd, scope, id)).assignedAgents }
    await assignSkill(cmd, skill.tenantId, id, [])
    if (scope === 'global') await withdrawFromTenants(cmd, id)
    record(cmd, skill, { before })
    await cmd.em.nativeDelete(ConfigVersion, versionsOf(skill))
    cmd.em.remove(skill)
  })
}

/** @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant with a skill of the installation */
export async function skillHistory(
  ctx: Ctx,
  scope: SkillScope,
  id: string,
  query?: Partial<VersionListQuery>,
) {
  return listVersions(ctx, await subjectOf(ctx, scope, id), query)
}

/** @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant with a skill of the installation */
export async function skillVersion(
  ctx: Ctx,
  scope: SkillScope,
  id: string,
  version: number,
  query?: VersionQuery,
) {
  return getVersion(ctx, await subjectOf(ctx, scope, id), version, query)
}

function subjectOf(ctx: Ctx, scope: SkillScope, id: string): Promise<VersionSubject> {
  return command(ctx, async (cmd) => versionsOf(await lockSkill(cmd, scope, id, LockMode.NONE)))
}

/** Checks what was changed about a skill that is locked, and keeps it as a version and in the audit. */
async function keepSkill(
  cmd: Command,
  scope: SkillScope,
  skill: SkillRow,
  was: { data: ReturnType<typeof dataOf>; since: Date; summary: ReturnType<typeof summary> },
  agentRoles: { before: string[]; after: string[] },
  note?: string,
): Promise<SkillDetail> {
  skill.sizeBytes = sizeOf(skill, maxSkillBytes[scope])
  skill.updatedOn = cmd.clock.date()
  await flushOnce(cmd, taken(skill.name))
  await checkWeight(cmd, skill.tenantId, skill.id)
  await requireRoom({ ...cmd, sql: cmd.tx }, skill.tenantId, skill.sizeBytes)
  const version = await keepVersion(cmd, {
    ...versionsOf(skill),
    before: { data: was.data, since: was.since },
    after: dataOf(skill),
    ...(note !== undefined && { note }),
  })
  record(cmd, skill, {
    before: { ...was.summary, agentRoles: agentRoles.before },
    after: { ...summary(skill), agentRoles: agentRoles.after, version },
  })
  await cmd.em.flush()
  return getSkill(cmd, scope, skill.id)
}

async function lockSkill(
  cmd: Command,
  scope: SkillScope,
  id: string,
  lockMode = LockMode.PESSIMISTIC_WRITE,
): Promise<SkillRow> {
  const skill = await cmd.em.findOne(Skill, { id, tenantId: ownerOf(cmd, scope) }, { lockMode })
  if (skill) return skill
  if (scope === 'tenant' && (await skillSizes(cmd, null, [id])).size > 0)
    throw new DomainError('FORBIDDEN', 'This skill belongs to the platform and cannot be changed here')
  throw notFound('skill')
}

/** Whose skills a context means; null for those of the installation. @throws DomainError `FORBIDDEN` */
export function ownerOf(ctx: Ctx, scope: SkillScope): string | null {
  if (scope === 'tenant') return oneTenant(ctx)
  if (ctx.scope === 'all') return null
  throw new DomainError('FORBIDDEN', 'Skills of the installation are for those who run it')
}

const versionsOf = ({ id, tenantId }: SkillRow): VersionSubject => ({
  kind: 'skill',
  subjectId: id,
  tenantId,
})

/** What a version of a skill holds. */
function dataOf({ name, description, content, references }: SkillRow) {
  const byName = references.map((one: SkillReference) => [one.name, one.content] as const)
  return { name, description, content, references: Object.fromEntries(byName) }
}

/** A skill for the audit: its texts stand in its versions. */
function summary({ name, description, content, references, sizeBytes }: SkillRow) {
  return {
    name,
    description,
    sha256: sha256Hex(content),
    references: references.map((one: SkillReference) => one.name),
    sizeBytes,
  }
}

function record(cmd: Command, { id, tenantId }: SkillRow, what: { before?: unknown; after?: unknown }): void {
  cmd.audit({ tenantId, resourceType: 'skill', resourceId: id, ...what })
}

function taken(name: string): DomainError {
  return new DomainError('CONFLICT', `There is a skill called ${name} already`, { field: 'name' })
}
