import type { Ctx, Transaction } from '../../../kernel/context.ts'
import type { ActivityRow } from '../activities/entities.ts'
import type { ContentCheck } from '../brand/schemas.ts'
import type { OutputRow } from '../content/entities.ts'
import type { ActivitySourceRow } from './entities.ts'

/** What was found, before it has a number. */
export type FoundSource = Pick<ActivitySourceRow, 'kind' | 'title' | 'text'> &
  Partial<Pick<ActivitySourceRow, 'chunkId' | 'fileId' | 'datasetId' | 'heading' | 'page' | 'url'>>

/** What work asks of the knowledge base, which joins in from above. */
export interface TenantKnowledge {
  /** The passages that answer a query best, of those datasets that an agent may search; the best first. */
  search(
    ctx: Ctx,
    search: { tenantId: string; agentRole: string; query: string; topK: number },
  ): Promise<Array<FoundSource & { score: number }>>
  /**
   * Reads the main text of one public page.
   * @throws DomainError `UNPROCESSABLE` with the reason when it cannot be read
   */
  readPage(
    ctx: Ctx,
    page: { tenantId: string; url: string },
  ): Promise<FoundSource & { url: string; truncated: boolean }>
  /** What a text says otherwise than the tenant's documents do. Reads only. */
  check(ctx: Ctx, tenantId: string, text: string): Promise<ContentCheck[]>
  /** Takes a piece that people have approved into the knowledge base, in place of an older version of it. */
  keepApproved(txn: Transaction, activity: ActivityRow, output: OutputRow): void
}

declare module '../../../kernel/services.ts' {
  interface Services {
    tenantKnowledge: TenantKnowledge
  }
}
