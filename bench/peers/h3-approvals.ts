import { H3, toNodeHandler } from 'h3'
import { assemble } from '../../packages/core/src/composition/assemble.ts'
import { listApprovalsForReview } from '../../packages/core/src/domain/work/approvals/queries.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import type { Installation } from '../installation.ts'
import { listen, settings } from '../servers/answer.ts'

/** The handler of `GET /dm/v1/approvals` behind nothing but a route: no credential, no limit, no log, no schema. */
const { reviewerId, tenantId, rows, ...installation } = settings<
  Installation & { reviewerId: string; tenantId: string; rows: number }
>()

const { contextFor } = await assemble({ ...installation, log: silentLogger })
const ctx = contextFor({
  tenantId,
  actor: { id: reviewerId, type: 'human', role: 'reviewer', appAccess: ['dm-portal'] },
})
const query = { limit: rows, sortBy: 'risk_then_age', order: 'desc' } as never
listen(toNodeHandler(new H3().get('/approvals', () => listApprovalsForReview(ctx, query))))
