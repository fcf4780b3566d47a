import {
  instant,
  leftTable,
  nullable,
  pick,
  type RowOf,
  select,
  table,
  text,
} from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Approval } from '../approvals/entities.ts'
import { Campaign } from '../campaigns/entities.ts'
import { Activity } from './entities.ts'

/** What a source has put together of one line; of a question it has the columns of the approval. */
const line = table(Approval, 'line')
const x = leftTable(Activity, 'x')

const columns = {
  id: line.id,
  activityId: nullable(text('line.activity_id')),
  title: line.title,
  tenantId: line.tenantId,
  tenantName: table(Tenant, 't').name,
  agentRole: x.agentRole,
  place: instant('line.place'),
  since: instant('line.since'),
  createdAt: instant('coalesce(x.created_on, line.asked_on)'),
  campaignName: leftTable(Campaign, 'c').name,
  activityStatus: x.status,
  ...pick(x, 'blocker', 'failureReason', 'hold'),
}

/** A line about a piece of work. */
export const piece = select({ ...columns, type: text('coalesce(x.deliverable_type, x.type)') })

/** A line about a question; it may be about no activity. */
export const question = select({
  ...columns,
  type: text('coalesce(x.deliverable_type, x.type, line.type)'),
  riskLevel: line.riskLevel,
  approvalId: line.id,
  approvalType: line.type,
  ...pick(line, 'dueAt', 'expiresAt', 'claimedByName', 'claimedUntil'),
})

export type WorkRow = RowOf<typeof piece> & Partial<RowOf<typeof question>>
