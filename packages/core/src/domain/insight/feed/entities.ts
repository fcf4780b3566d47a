import { defineEntity } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

/** What one person has put aside in the own feed. No one else's feed changes by it. */
export const FeedMark = defineEntity({
  name: 'FeedMark',
  tableName: 'feed_marks',
  properties: {
    userId: idColumn(),
    itemId: idColumn(),
    tenantId: refColumn(),
    /** The last news that the person has seen of it; anything newer shows the item again. */
    seenNews: instantColumn(),
    /** When it comes back by itself; null is not before there is news. */
    returnsAt: instantColumn().strictNullable(),
    markedOn: instantColumn(),
  },
  indexes: [{ name: 'feed_marks_by_age', properties: ['markedOn'] }],
  filters: ownedByTenant,
})
