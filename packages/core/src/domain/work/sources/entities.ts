import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

export const sourceKinds = ['knowledge', 'web'] as const

/** A text that an agent was given while it made a piece, as it was then: whatever becomes of the file or the page later. */
export const ActivitySource = defineEntity({
  name: 'ActivitySource',
  tableName: 'activity_sources',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    activityId: refColumn(),
    /** The run that was given it first. */
    runId: refColumn(),
    /** By which texts and people name it, as `[3]`; from 1 in the order in which an activity's sources were found. */
    n: p.integer(),
    kind: p.string().$type<(typeof sourceKinds)[number]>(),
    /** Of the file or the page. */
    title: p.text(),
    text: p.text(),
    /** Of place and text, lower-case hex: what is found a second time keeps its number. */
    sha256: p.string().length(64),
    chunkId: refColumn().strictNullable(),
    fileId: refColumn().strictNullable(),
    datasetId: refColumn().strictNullable(),
    heading: p.text().strictNullable(),
    page: p.integer().strictNullable(),
    url: p.text().strictNullable(),
    createdOn: instantColumn(),
  },
  uniques: [
    { name: 'activity_sources_number', properties: ['activityId', 'n'] },
    { name: 'activity_sources_text', properties: ['activityId', 'sha256'] },
  ],
  filters: ownedByTenant,
})

export type ActivitySourceRow = InferEntity<typeof ActivitySource>
