import { z } from 'zod'
import { isoDate, offsetQuery, ulid } from '../../../platform/wire.ts'
import { PieceSource } from '../sources/schemas.ts'
import { approvalStatuses, approvalTypes, riskLevels } from './entities.ts'

export const MobileApprovalQuery = offsetQuery(25).extend({
  'filter.status': z.enum(approvalStatuses).optional(),
  'filter.riskLevel': z.enum(riskLevels).optional(),
})
export type MobileApprovalQuery = z.output<typeof MobileApprovalQuery>

const fields = {
  id: ulid,
  title: z.string(),
  type: z.enum(approvalTypes),
  riskLevel: z.enum(riskLevels),
  status: z.enum(approvalStatuses),
  description: z.string().optional(),
  options: z.array(z.string()).optional(),
  expiresAt: isoDate,
  /** Whole hours that are left, rounded up; 0 when the time is over. */
  expiresInH: z.int(),
  createdOn: isoDate,
}

/** An approval as a line of the app. */
export const MobileApprovalItem = z.object({ ...fields, linkedActivitiesCount: z.int() })
export type MobileApprovalItem = z.output<typeof MobileApprovalItem>

export const MobileApprovalPage = z.object({
  data: z.array(MobileApprovalItem),
  total: z.int(),
  /** Of the whole tenant, whatever was asked for. */
  pendingCount: z.int(),
  highRiskCount: z.int(),
})
export type MobileApprovalPage = z.output<typeof MobileApprovalPage>

export const MobileApproval = z.object({
  ...fields,
  linkedActivities: z.array(
    z.object({
      id: ulid,
      title: z.string(),
      outputPreview: z.string().optional(),
      outputRef: z.string().optional(),
    }),
  ),
  createdBy: z.object({ name: z.string(), type: z.enum(['agent', 'human']) }),
  /** SHA-256 of the version that is shown; a verdict names it. */
  contentHash: z.string().optional(),
  /** What the agents were given, the beginning of each text. */
  sources: z.array(PieceSource).optional(),
})
export type MobileApproval = z.output<typeof MobileApproval>
