import type { Transaction } from '../../../kernel/context.ts'
import type { ActivityRow } from '../activities/entities.ts'
import type { DeliverableType } from '../campaigns/entities.ts'
import type { OutputRow } from './entities.ts'

/** What people outside read: a verdict on such a piece may be the order to publish it. */
export const outgoingTypes: ReadonlySet<DeliverableType | null> = new Set<DeliverableType>([
  'blog_post',
  'social_post',
  'gbp_post',
  'email_newsletter',
])

/** What work asks of publishing, which joins in from above. */
export interface TenantPublishing {
  /**
   * Takes a finished piece into the publishing queue where a verdict or a request says that it goes out; everything else is left alone.
   * Taking one twice does no harm. The caller holds the activity's lock.
   */
  takePiece(txn: Transaction, activity: ActivityRow, output: OutputRow): Promise<void>
}

declare module '../../../kernel/services.ts' {
  interface Services {
    tenantPublishing: TenantPublishing
  }
}
