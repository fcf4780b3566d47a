import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { ContentCheck } from '../brand/schemas.ts'
import type { DeliverableType } from '../campaigns/entities.ts'

export type OutputFormat = 'markdown' | 'html' | 'plain'

/** One version of an activity's text. It is never changed: a change is a new version. */
export const Output = defineEntity({
  name: 'Output',
  tableName: 'outputs',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    activityId: refColumn(),
    runId: refColumn().strictNullable(),
    /** From 1, without gaps. */
    version: p.integer(),
    text: p.text(),
    format: p.string().$type<OutputFormat>(),
    /** Over the text's UTF-8 bytes, lower-case hex. */
    sha256: p.string().length(64),
    /** What a person should look at before the verdict, found when the version was made. */
    checks: p.json().$type<ContentCheck[]>().strictNullable(),
    authorId: p.string(),
    authorName: p.string(),
    authorType: p.string().$type<'agent' | 'human'>(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'outputs_version', properties: ['activityId', 'version'] }],
  filters: ownedByTenant,
})

/** What people said about or changed in a tenant's content; the latest few go into the next prompt of that kind. */
export const Feedback = defineEntity({
  name: 'Feedback',
  tableName: 'feedback',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    /** The deliverable type, or the agent role for work that belongs to none. */
    contentKind: p.string().$type<DeliverableType | (string & {})>(),
    kind: p.string().$type<'note' | 'edit' | 'approved' | 'rejected' | 'revision_requested'>(),
    text: p.text(),
    activityId: refColumn(),
    approvalId: refColumn().strictNullable(),
    createdOn: instantColumn(),
  },
  indexes: [
    { name: 'feedback_by_kind', properties: ['tenantId', 'contentKind', 'id'] },
    { name: 'feedback_by_what', properties: ['tenantId', 'contentKind', 'kind', 'id'] },
  ],
  filters: ownedByTenant,
})

export type OutputRow = InferEntity<typeof Output>
