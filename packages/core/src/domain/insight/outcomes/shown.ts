import type { Ctx } from '../../../kernel/context.ts'
import { getActivity } from '../../work/activities/detail.ts'
import { getActivityForReview } from '../../work/activities/review-queries.ts'
import { getApproval } from '../../work/approvals/queries.ts'
import { placesOf } from './queries.ts'
import type { PiecePlace } from './schemas.ts'
import type { ActivityView, ReviewerActivityView, ReviewerApprovalView } from './shown-schemas.ts'

/** One activity, and what became of its text. Serves `GET /dashboard/v1/activities/:activityId`. @throws DomainError `NOT_FOUND` */
export async function showActivity(ctx: Ctx, id: string): Promise<ActivityView> {
  const [activity] = await withPlaces(ctx, [await getActivity(ctx, id)])
  return activity
}

/** The same for reviewers. Serves `GET /dm/v1/activities/:activityId` and `GET /cli/v1/activities/:id`. @throws DomainError `NOT_FOUND` */
export async function showActivityForReview(ctx: Ctx, id: string): Promise<ReviewerActivityView> {
  const [activity] = await withPlaces(ctx, [await getActivityForReview(ctx, id)])
  return activity
}

/**
 * One approval, and what became of the texts that are linked to it. Serves `GET /dashboard/v1/approvals/:approvalId`,
 * `GET /dm/v1/approvals/:approvalId` and `GET /cli/v1/approvals/:id`.
 * @throws DomainError `NOT_FOUND`
 */
export async function showApproval(ctx: Ctx, id: string): Promise<ReviewerApprovalView> {
  const approval = await getApproval(ctx, id)
  return { ...approval, linkedActivities: await withPlaces(ctx, approval.linkedActivities) }
}

type WithPlaces<T extends readonly { id: string }[]> = {
  -readonly [K in keyof T]: T[K] & { places?: PiecePlace[] }
}

/** Activities with where the text of each went, in their order. */
async function withPlaces<const T extends readonly { id: string }[]>(
  ctx: Ctx,
  activities: T,
): Promise<WithPlaces<T>> {
  const found = await placesOf(
    ctx,
    activities.map(({ id }) => id),
  )
  return activities.map((activity) => {
    const places = found.filter(({ activityId }) => activityId === activity.id).map(({ place }) => place)
    return { ...activity, ...(places.length > 0 && { places }) }
  }) as WithPlaces<T>
}
