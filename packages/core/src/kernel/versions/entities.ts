import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../platform/database/columns.ts'
import { ownedByTenant } from '../../platform/database/scope.ts'

/** What versions are kept of: a master agent, a tenant's agent, a skill, how a kind of piece is made, what a kind of mail says, a brand, a strategy. */
export type VersionKind =
  | 'agent_config'
  | 'agent'
  | 'skill'
  | 'activity_template'
  | 'email_template'
  | 'brand'
  | 'strategy'

/** What a version holds: plain JSON without secrets, each field under the name that people know it by. */
export type VersionData = Record<string, unknown>

/** One state of something that people configure. It is never changed: a change is a new version. */
export const ConfigVersion = defineEntity({
  name: 'ConfigVersion',
  tableName: 'config_versions',
  properties: {
    id: idColumn(),
    /** Null for what belongs to the installation. */
    tenantId: refColumn().strictNullable(),
    kind: p.string().$type<VersionKind>(),
    /** Of the subject: a ULID, or the role of a master agent. */
    subjectId: p.string(),
    /** From 1, without gaps. */
    version: p.integer(),
    data: p.json().$type<VersionData>(),
    /** Of the data as JSON in UTF-8. */
    sizeBytes: p.integer().default(0),
    createdById: p.string(),
    createdByName: p.string(),
    createdOn: instantColumn(),
    /** Why it came to be, in a few words; null for an ordinary change. */
    note: p.text().strictNullable(),
  },
  uniques: [{ name: 'config_versions_once', properties: ['kind', 'subjectId', 'version'] }],
  indexes: [{ name: 'config_versions_size', properties: ['kind', 'tenantId', 'sizeBytes'] }],
  filters: ownedByTenant,
})

export type ConfigVersionRow = InferEntity<typeof ConfigVersion>
