import { defineEntity, p } from '@mikro-orm/core'
import { instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

/** An address that a tenant sends no mail of any sequence or outreach to any more, because its owner has said so. */
export const MailOptOut = defineEntity({
  name: 'MailOptOut',
  tableName: 'mail_opt_outs',
  properties: {
    tenantId: refColumn().primary(),
    /** In lower case. */
    address: p.string().primary(),
    at: instantColumn(),
  },
  filters: ownedByTenant,
})

/**
 * `unknown`: it may have gone out, so it is never sent again. `doubtful`: it may have gone out through a service that knows it again, which is
 * asked once more as long as it does; `at` says since when.
 */
export const mailStatuses = [
  'sending',
  'waiting',
  'doubtful',
  'sent',
  'unknown',
  'failed',
  'suppressed',
] as const
