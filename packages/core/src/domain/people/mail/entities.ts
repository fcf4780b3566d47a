import { defineEntity, p } from '@mikro-orm/core'
import { dateColumn } from '../../../platform/database/columns.ts'

/** How many mails went to people outside on one day (UTC), for one tenant or the whole installation. */
export const OutsideMailCount = defineEntity({
  name: 'OutsideMailCount',
  tableName: 'outside_mail_counts',
  properties: {
    day: dateColumn().primary(),
    /** Tenant ULID, or `all`. */
    scope: p.string().length(26).primary(),
    mails: p.integer(),
  },
})
