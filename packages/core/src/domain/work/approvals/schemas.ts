import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { activityStatuses } from '../activities/entities.ts'
import { ContentCheck } from '../brand/schemas.ts'
import { PieceSource } from '../sources/schemas.ts'
import { approvalStatuses, approvalTypes, resolutions, riskLevels } from './entities.ts'

/** SHA-256 of the content that the reviewer saw; null where there was none yet. */
const seenHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in lower-case hex')
  .nullable()

/** For several approvals at once: the same by their ids. What is not in it is decided as it is. */
export const SeenHashes = z.record(ulid, seenHash)
export type SeenHashes = z.output<typeof SeenHashes>

/** Whether each hash is of an approval that is named, so that none is passed over for a wrong id. */
export const areHashesOf = (seen: SeenHashes | undefined, ids: readonly string[] | undefined): boolean =>
  Object.keys(seen ?? {}).every((id) => ids?.includes(id))

export const Verdict = z.object({
  resolution: z.enum(resolutions),
  selectedOption: z.string().max(500).optional(),
  note: z.string().max(10_000).optional(),
  contentHash: seenHash.optional(),
  /** The whole text as the reviewer wants it: it becomes the next version, and is what is approved. */
  edited: z.string().max(1_000_000).optional(),
  /** Only with `rejected`: ends the linked activities for good instead of giving them back to their agents. */
  endWork: z.boolean().optional(),
})
export type Verdict = z.output<typeof Verdict>

export const VerdictReceipt = z.object({
  approvalId: ulid,
  resolution: z.enum(resolutions),
  reEnqueuedActivities: z.int(),
  /** With `endWork`: the linked activities that have ended, then what ended with them. */
  endedActivities: z.array(ulid).optional(),
  /** SHA-256 and number of the version that the verdict is on, with edits the new one. */
  contentHash: z.string().optional(),
  version: z.int().optional(),
})
export type VerdictReceipt = z.output<typeof VerdictReceipt>

export const BulkVerdict = z
  .object({
    approvalIds: z.array(ulid).min(1).max(50),
    resolution: z.enum(['approved', 'rejected']),
    note: z.string().max(10_000).optional(),
    contentHashes: SeenHashes.optional(),
  })
  .refine(({ contentHashes, approvalIds }) => areHashesOf(contentHashes, approvalIds), {
    path: ['contentHashes'],
    message: 'Must be of approvals that approvalIds names',
  })
export type BulkVerdict = z.output<typeof BulkVerdict>

export const BulkReceipt = z.object({
  /** How many. */
  resolved: z.int(),
  failed: z.array(z.object({ approvalId: ulid, code: z.string(), reason: z.string() })),
  reEnqueuedActivities: z.int(),
})
export type BulkReceipt = z.output<typeof BulkReceipt>

export const Forward = z.object({
  note: z.string().max(10_000).optional(),
  urgency: z.enum(['normal', 'urgent']).default('normal'),
})
export type Forward = z.output<typeof Forward>

export const ForwardReceipt = z.object({ forwardedApprovalId: ulid, notificationSent: z.boolean() })
export type ForwardReceipt = z.output<typeof ForwardReceipt>

export const Escalation = z.object({
  newRiskLevel: z.enum(['medium', 'high']),
  reason: z.string().min(1).max(10_000),
})
export type Escalation = z.output<typeof Escalation>

export const EscalationReceipt = z.object({
  approvalId: ulid,
  riskLevel: z.enum(riskLevels),
  newExpiresAt: isoDate,
})
export type EscalationReceipt = z.output<typeof EscalationReceipt>

const linkedActivity = z.object({ id: ulid, title: z.string(), status: z.enum(activityStatuses) })

const approvalFields = {
  id: ulid,
  title: z.string(),
  type: z.enum(approvalTypes),
  riskLevel: z.enum(riskLevels),
  status: z.enum(approvalStatuses),
  description: z.string().optional(),
  options: z.array(z.string()).optional(),
  createdBy: z.object({ id: z.string(), name: z.string(), type: z.enum(['agent', 'human']) }),
  createdOn: isoDate,
  expiresAt: isoDate,
  /** By when people are expected to decide. */
  dueAt: isoDate.optional(),
  /** Who looks at it at present. */
  claimedBy: z.object({ id: z.string(), name: z.string() }).optional(),
  claimedUntil: isoDate.optional(),
  resolvedAt: isoDate.optional(),
  resolvedBy: z.object({ id: z.string(), name: z.string() }).optional(),
  resolution: z.string().optional(),
  resolutionNote: z.string().optional(),
  /** SHA-256 of the version that is shown. */
  contentHash: z.string().optional(),
  /** What to look at in that version: phrases that the brand bans, and claims without proof. No verdict follows from it. */
  checks: z.array(ContentCheck).optional(),
  /** There when the reviewer approved a text of their own making. */
  edited: z.literal(true).optional(),
  /** The question that the client was asked for this one, and the one that the client is asked for. */
  forwardedTo: ulid.optional(),
  forwardedFrom: ulid.optional(),
  /** The question that stands for this one since new content voided it. */
  replacedBy: ulid.optional(),
}

const tenantFields = { tenantId: ulid, tenantName: z.string() }

export const ApprovalItem = z.object({ ...approvalFields, linkedActivities: z.array(linkedActivity) })
export type ApprovalItem = z.output<typeof ApprovalItem>
export const ReviewerApprovalItem = ApprovalItem.extend(tenantFields)
export type ReviewerApprovalItem = z.output<typeof ReviewerApprovalItem>

/** What the agents were given while they made what is linked; what the text names comes first. */
const sources = z.array(PieceSource).optional()

export const ApprovalDetail = z.object({
  ...approvalFields,
  sources,
  linkedActivities: z.array(
    linkedActivity.extend({ outputRef: z.string().optional(), outputPreview: z.string().optional() }),
  ),
})
export type ApprovalDetail = z.output<typeof ApprovalDetail>

/** A reviewer sees the whole of what is linked, and the version before it. */
export const ReviewerApprovalDetail = z.object({
  ...approvalFields,
  sources,
  ...tenantFields,
  linkedActivities: z.array(
    linkedActivity.extend({
      outputRef: z.string().optional(),
      outputPreview: z.string().optional(),
      output: z.string().optional(),
      version: z.int().optional(),
      previousOutput: z.string().optional(),
    }),
  ),
})
export type ReviewerApprovalDetail = z.output<typeof ReviewerApprovalDetail>

export const ApprovalPage = page(ApprovalItem)
export const ReviewerApprovalPage = page(ReviewerApprovalItem)

export const ApprovalQuery = pageQuery.extend({
  'filter.status': z.enum(approvalStatuses).optional(),
  'filter.type': z.enum(approvalTypes).optional(),
  'filter.riskLevel': z.enum(riskLevels).optional(),
})
export type ApprovalQuery = z.output<typeof ApprovalQuery>

export const approvalSorts = ['risk_then_age', 'age', 'created_on'] as const

export const ReviewerApprovalQuery = ApprovalQuery.omit({ order: true }).extend({
  tenantId: ulid.optional(),
  sortBy: z.enum(approvalSorts).default('risk_then_age'),
})
export type ReviewerApprovalQuery = z.output<typeof ReviewerApprovalQuery>

export const ClaimReceipt = z.object({
  approvalId: ulid,
  claimedBy: z.object({ id: z.string(), name: z.string() }),
  claimedUntil: isoDate,
})
export type ClaimReceipt = z.output<typeof ClaimReceipt>

export const NextQuery = z.object({ tenantId: ulid.optional() })
export const NextApproval = z.object({ approval: ReviewerApprovalDetail.nullable() })
export type NextApproval = z.output<typeof NextApproval>

export const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 09:00')

export const ReviewHoursChange = z
  .object({
    /** 1 is Monday, 7 is Sunday. */
    days: z.array(z.int().min(1).max(7)).min(1).max(7),
    from: clockTime,
    until: clockTime,
  })
  .refine(({ from, until }) => from < until, { path: ['until'], message: 'Must be later than from' })
export type ReviewHoursChange = z.output<typeof ReviewHoursChange>

/** When the people of a tenant work, in its zone. */
export const ReviewHoursView = z.object({
  days: z.array(z.int()),
  from: z.string(),
  until: z.string(),
  timezone: z.string(),
})
export type ReviewHoursView = z.output<typeof ReviewHoursView>
