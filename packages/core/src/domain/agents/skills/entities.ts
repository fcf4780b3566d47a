import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

/** A further text that a skill points to, read only when it is needed. */
export interface SkillReference {
  /** A file name, such as `tone.md`. */
  name: string
  /** Markdown. */
  content: string
}

/**
 * Knowledge in Markdown that agents read when a task calls for it. Which agents have it stands with the agents: a tenant's
 * own in `TenantAgent.ownSkillIds`, one of the installation in `MasterAgent.defaultSkillIds`.
 */
export const Skill = defineEntity({
  name: 'Skill',
  tableName: 'skills',
  properties: {
    id: idColumn(),
    /** Null for a skill of the installation; those are read by hand-written statements only. */
    tenantId: refColumn().strictNullable(),
    name: p.string(),
    /** When to use it: all that an agent sees before it reads the skill. */
    description: p.text(),
    content: p.text(),
    references: p.json().$type<SkillReference[]>(),
    /** Agent roles that come later get it as well. */
    forAllRoles: p.boolean(),
    /** Of content and references, in UTF-8. */
    sizeBytes: p.integer(),
    createdById: p.string(),
    createdByName: p.string(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'skills_name', properties: ['tenantId', 'name'], where: 'tenant_id is not null' },
    { name: 'skills_global_name', properties: ['name'], where: 'tenant_id is null' },
  ],
  indexes: [{ name: 'skills_by_tenant', properties: ['tenantId', 'id'] }],
  filters: ownedByTenant,
})

export type SkillRow = InferEntity<typeof Skill>

/** Whose skills are meant: those of the installation, or the tenant's own. */
export type SkillScope = 'global' | 'tenant'

/**
 * What the skills of the installation that an agent has may weigh together, and so may the tenant's own, in bytes: it gets
 * all of them with each dispatch.
 */
export const maxTogether = 4 * 1024 * 1024
