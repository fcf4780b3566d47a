import type { z } from 'zod'
import { deciders, operators, reviewers, rule, team } from './api-rules.ts'
import { cancelActivity } from './domain/activities/cancel.ts'
import { getActivity, getOutput } from './domain/activities/detail.ts'
import { reassignActivity } from './domain/activities/hand-over.ts'
import { listLog } from './domain/activities/log-queries.ts'
import { pauseActivity, resumeActivity } from './domain/activities/pause.ts'
import { listActivities } from './domain/activities/queries.ts'
import { retryActivity } from './domain/activities/retry.ts'
import { getForReview, listForReview } from './domain/activities/review-queries.ts'
import { Cancellation, Handover, Pause, Resumption } from './domain/activities/schemas.ts'
import { sweep } from './domain/activities/sweep.ts'
import { listWork } from './domain/activities/work-queries.ts'
import { WorkQuery } from './domain/activities/work-schemas.ts'
import { check } from './domain/check.ts'
import { diffTextVersions, getTextVersion, listTextVersions } from './domain/content/queries.ts'

/** What people do with activities, and deciders over all their tenants. */
export const activityServices = {
  list: rule(team, listActivities),
  get: rule(team, getActivity),
  output: rule(team, getOutput),
  versions: rule(team, listTextVersions),
  version: rule(team, getTextVersion),
  diff: rule(team, diffTextVersions),
  retry: rule(deciders, retryActivity),
  listForReview: rule(deciders, listForReview),
  getForReview: rule(deciders, getForReview),
  queue: rule(reviewers, (ctx, query: z.input<typeof WorkQuery> = {}) =>
    listWork(ctx, check(WorkQuery, query)),
  ),
  log: rule(deciders, listLog),
  pause: rule(deciders, (ctx, id: string, pause: z.input<typeof Pause> = {}) =>
    pauseActivity(ctx, id, check(Pause, pause)),
  ),
  resume: rule(deciders, (ctx, id: string, resumption: z.input<typeof Resumption> = {}) =>
    resumeActivity(ctx, id, check(Resumption, resumption)),
  ),
  cancel: rule(deciders, (ctx, id: string, cancellation: z.input<typeof Cancellation>) =>
    cancelActivity(ctx, id, check(Cancellation, cancellation)),
  ),
  reassign: rule(deciders, (ctx, id: string, handover: z.input<typeof Handover>) =>
    reassignActivity(ctx, id, check(Handover, handover)),
  ),
  sweep: rule(operators, sweep),
}
