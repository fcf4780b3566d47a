import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

/** A file of a tenant; its bytes are a blob of the tenant under the document's id. They never change. */
export const Document = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    /** As the file was called. */
    name: p.string(),
    description: p.text().strictNullable(),
    /** By what is in it, whatever it was called. */
    mimeType: p.string(),
    sizeBytes: p.integer(),
    /** Lower-case hex. */
    sha256: p.string().length(64),
    createdById: p.string(),
    createdByName: p.string(),
    createdOn: instantColumn(),
  },
  indexes: [
    { name: 'documents_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'documents_size', properties: ['tenantId', 'sizeBytes'] },
  ],
  filters: ownedByTenant,
})

export type DocumentRow = InferEntity<typeof Document>
