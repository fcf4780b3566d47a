import { defineEntity, p } from '@mikro-orm/core'
import { instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

/** Websites of a tenant, links to which say where a reader comes from; without a row no links do. */
export const LinkTagging = defineEntity({
  name: 'LinkTagging',
  tableName: 'link_tagging',
  properties: {
    tenantId: refColumn().primary(),
    /** Names of hosts in lower case, without `www.`. */
    hosts: p.json().$type<string[]>(),
    updatedOn: instantColumn(),
  },
  filters: ownedByTenant,
})
