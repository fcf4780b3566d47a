import { z } from 'zod'
import { ReviewerActivityDetail } from '../../work/activities/review-schemas.ts'
import { ActivityDetail } from '../../work/activities/schemas.ts'
import { ApprovalDetail, ReviewerApprovalDetail } from '../../work/approvals/schemas.ts'
import { PiecePlace } from './schemas.ts'

/** Where the text went, and what became of it there; absent as long as it goes nowhere. */
const places = z.array(PiecePlace).optional()

export const ActivityView = ActivityDetail.extend({ places })
export type ActivityView = z.output<typeof ActivityView>
export const ReviewerActivityView = ReviewerActivityDetail.extend({ places })
export type ReviewerActivityView = z.output<typeof ReviewerActivityView>

/** An approval says of each activity that is linked to it what became of its text. */
export const ApprovalView = ApprovalDetail.extend({
  linkedActivities: z.array(ApprovalDetail.shape.linkedActivities.element.extend({ places })),
})
export const ReviewerApprovalView = ReviewerApprovalDetail.extend({
  linkedActivities: z.array(ReviewerApprovalDetail.shape.linkedActivities.element.extend({ places })),
})
export type ReviewerApprovalView = z.output<typeof ReviewerApprovalView>
