import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { flushOnce } from '../../../kernel/transact.ts'
import { saveVersion, type VersionSubject } from '../../../kernel/versions/save.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { requireRoom } from '../../accounts/tenants/quota-queries.ts'
import { checkWeight } from './assign.ts'
import { Skill, type SkillReference, type SkillRow, type SkillScope } from './entities.ts'
import { getSkill, skillSizes } from './queries.ts'
import { sizeOf } from './read-file.ts'
import { maxSkillBytes, type SkillDetail } from './schemas.ts'

/** Loads a skill that its owner may change, and locks it. @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant with a skill of the installation */
export async function lockSkill(
  txn: Transaction,
  scope: SkillScope,
  id: string,
  lockMode = LockMode.PESSIMISTIC_WRITE,
): Promise<SkillRow> {
  const skill = await txn.em.findOne(Skill, { id, tenantId: ownerOf(txn, scope) }, { lockMode })
  if (skill) return skill
  if (scope === 'tenant' && (await skillSizes(txn, null, [id])).size > 0)
    throw new DomainError('FORBIDDEN', 'This skill belongs to the platform and cannot be changed here')
  throw notFound('skill')
}

/** Whose skills a context means; null for those of the installation. @throws DomainError `FORBIDDEN` */
export function ownerOf(ctx: Ctx, scope: SkillScope): string | null {
  if (scope === 'tenant') return oneTenant(ctx)
  if (ctx.scope === 'all') return null
  throw new DomainError('FORBIDDEN', 'Skills of the installation are for those who run it')
}

/** Checks what was changed about a skill that is locked, and keeps it as a version and in the audit. */
export async function keepSkill(
  txn: Transaction,
  scope: SkillScope,
  skill: SkillRow,
  was: { data: ReturnType<typeof skillData>; since: Date; summary: ReturnType<typeof skillSummary> },
  agentRoles: { before: string[]; after: string[] },
  note?: string,
): Promise<SkillDetail> {
  skill.sizeBytes = sizeOf(skill, maxSkillBytes[scope])
  skill.updatedOn = txn.clock.date()
  await flushOnce(txn, nameTaken(skill.name))
  await checkWeight(txn, skill.tenantId, skill.id)
  await requireRoom(txn, skill.tenantId, skill.sizeBytes)
  const version = await saveVersion(txn, {
    ...skillVersions(skill),
    before: { data: was.data, since: was.since },
    after: skillData(skill),
    ...(note !== undefined && { note }),
  })
  auditSkill(txn, skill, {
    before: { ...was.summary, agentRoles: agentRoles.before },
    after: { ...skillSummary(skill), agentRoles: agentRoles.after, version },
  })
  await txn.em.flush()
  return getSkill(txn, scope, skill.id)
}

/** What the versions of a skill are kept under. */
export const skillVersions = ({ id, tenantId }: SkillRow): VersionSubject => ({
  kind: 'skill',
  subjectId: id,
  tenantId,
})

/** What a version of a skill holds. */
export function skillData({ name, description, content, references }: SkillRow) {
  const byName = references.map((one: SkillReference) => [one.name, one.content] as const)
  return { name, description, content, references: Object.fromEntries(byName) }
}

/** A skill for the audit: its texts stand in its versions. */
export function skillSummary({ name, description, content, references, sizeBytes }: SkillRow) {
  return {
    name,
    description,
    sha256: sha256Hex(content),
    references: references.map((one: SkillReference) => one.name),
    sizeBytes,
  }
}

export function auditSkill(
  txn: Transaction,
  { id, tenantId }: SkillRow,
  what: { before?: unknown; after?: unknown },
): void {
  txn.audit({ tenantId, resourceType: 'skill', resourceId: id, ...what })
}

export function nameTaken(name: string): DomainError {
  return new DomainError('CONFLICT', `There is a skill called ${name} already`, { field: 'name' })
}
