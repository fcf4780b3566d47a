import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { actorName } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { flushOnce, transact } from '../../../kernel/transact.ts'
import { ConfigVersion } from '../../../kernel/versions/entities.ts'
import { getVersion, listVersions } from '../../../kernel/versions/queries.ts'
import { saveVersion, type VersionSubject, versionData } from '../../../kernel/versions/save.ts'
import type { VersionListQuery, VersionQuery } from '../../../kernel/versions/schemas.ts'
import { requireRoom } from '../../accounts/tenants/quota-queries.ts'
import { assignSkill, checkWeight, withdrawFromTenants } from './assign.ts'
import { Skill, type SkillScope } from './entities.ts'
import { getSkill } from './queries.ts'
import { parseSkill, readFiles, type SkillFiles, sizeOf } from './read-file.ts'
import {
  auditSkill,
  keepSkill,
  lockSkill,
  nameTaken,
  ownerOf,
  skillData,
  skillSummary,
  skillVersions,
} from './save.ts'
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
  return transact(ctx, async (txn) => {
    const tenantId = ownerOf(txn, scope)
    if (tenantId !== null && (await txn.em.count(Skill, { tenantId })) >= maxOwn)
      throw new DomainError(
        'UNPROCESSABLE',
        `There are ${maxOwn} skills already; delete one that is not used`,
      )
    const now = txn.clock.date()
    const skill = txn.em.create(Skill, {
      id: txn.newId(),
      tenantId,
      name,
      description,
      content,
      references,
      forAllRoles: form.agentRoles.includes('all'),
      sizeBytes,
      createdById: txn.actor.id,
      createdByName: actorName(txn),
      createdOn: now,
      updatedOn: now,
    })
    await flushOnce(txn, nameTaken(name))
    const agentRoles = await assignSkill(txn, tenantId, skill.id, form.agentRoles)
    await checkWeight(txn, tenantId, skill.id)
    await requireRoom(txn, tenantId, sizeBytes)
    const version = await saveVersion(txn, { ...skillVersions(skill), after: skillData(skill) })
    auditSkill(txn, skill, { after: { ...skillSummary(skill), agentRoles, version } })
    await txn.em.flush()
    return getSkill(txn, scope, skill.id)
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
    read.source ?? (changes.content === undefined ? undefined : await parseSkill(changes.content, 'content'))
  return transact(ctx, async (txn) => {
    const skill = await lockSkill(txn, scope, id)
    const was = { data: skillData(skill), since: skill.updatedOn, summary: skillSummary(skill) }
    const rolesBefore = (await getSkill(txn, scope, id)).assignedAgents
    skill.name = changes.name ?? source?.name ?? skill.name
    skill.description = changes.description ?? source?.description ?? skill.description
    skill.content = source?.content ?? skill.content
    skill.references = read.references ?? changes.references ?? skill.references
    const agentRoles = changes.agentRoles
      ? await assignSkill(txn, skill.tenantId, id, [changes.agentRoles].flat())
      : rolesBefore
    if (changes.agentRoles) skill.forAllRoles = changes.agentRoles.includes('all')
    return keepSkill(txn, scope, skill, was, { before: rolesBefore, after: agentRoles })
  })
}

/**
 * Puts a version of a skill back, as a new version; who has the skill stays as it is.
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant with a skill of the installation; `CONFLICT` when its name is
 *   taken; `UNPROCESSABLE` when an agent would have too much to read
 */
export function restoreSkill(ctx: Ctx, scope: SkillScope, id: string, version: number): Promise<SkillDetail> {
  return transact(ctx, async (txn) => {
    const skill = await lockSkill(txn, scope, id)
    const was = { data: skillData(skill), since: skill.updatedOn, summary: skillSummary(skill) }
    const data = (await versionData(txn, skillVersions(skill), version)) as ReturnType<typeof skillData>
    const { references, ...texts } = data
    Object.assign(skill, texts)
    skill.references = Object.entries(references).map(([name, content]) => ({ name, content }))
    const roles = (await getSkill(txn, scope, id)).assignedAgents
    return keepSkill(txn, scope, skill, was, { before: roles, after: roles }, `Version ${version} put back`)
  })
}

/**
 * Deletes a skill with its versions; agents that had it lose it silently. Serves `DELETE /admin/v1/skills/:skillId` and
 * `DELETE /dashboard/v1/skills/:skillId`.
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant with a skill of the installation
 */
export function deleteSkill(ctx: Ctx, scope: SkillScope, id: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const skill = await lockSkill(txn, scope, id)
    const before = { ...skillSummary(skill), agentRoles: (await getSkill(txn, scope, id)).assignedAgents }
    await assignSkill(txn, skill.tenantId, id, [])
    if (scope === 'global') await withdrawFromTenants(txn, id)
    auditSkill(txn, skill, { before })
    await txn.em.nativeDelete(ConfigVersion, skillVersions(skill))
    txn.em.remove(skill)
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
  return transact(ctx, async (txn) => skillVersions(await lockSkill(txn, scope, id, LockMode.NONE)))
}

/**
 * Takes a skill from a file: as a new text of the one that has its name, else as a new one.
 * @throws DomainError as `createSkill` and `changeSkill`
 */
export async function putSkill(
  ctx: Ctx,
  scope: SkillScope,
  form: Partial<NewSkill>,
  files: SkillFiles,
): Promise<{ skill: SkillDetail; isNew: boolean }> {
  const { source } = await readFiles(files)
  const name = form.name ?? source?.name
  const known = await transact(ctx, async (txn) =>
    name === undefined ? null : txn.em.findOne(Skill, { tenantId: ownerOf(txn, scope), name }),
  )
  if (known) return { skill: await changeSkill(ctx, scope, known.id, form, files), isNew: false }
  const agentRoles = form.agentRoles ?? []
  return { skill: await createSkill(ctx, scope, { ...form, agentRoles }, files), isNew: true }
}
