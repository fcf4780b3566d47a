import type { z } from 'zod'
import { admins, deciders, reviewers, rule, team } from './api-rules.ts'
import { resolveMany } from './domain/approvals/bulk.ts'
import { resolveMatching } from './domain/approvals/bulk-matching.ts'
import { claim, unclaim } from './domain/approvals/claim.ts'
import { escalate } from './domain/approvals/escalate.ts'
import { sendToClient } from './domain/approvals/forward.ts'
import { getReviewHours, setReviewHours } from './domain/approvals/hours-setting.ts'
import { MatchingVerdict } from './domain/approvals/matching-schemas.ts'
import { nextApproval } from './domain/approvals/next-queries.ts'
import { getApproval, listApprovals } from './domain/approvals/queries.ts'
import { resolve } from './domain/approvals/resolve.ts'
import { BulkVerdict, Escalation, Forward, ReviewHoursChange } from './domain/approvals/schemas.ts'
import { reviewStatistics } from './domain/approvals/statistics-queries.ts'
import { check } from './domain/check.ts'

/** What people are asked, and what they answer. */
export const approvalServices = {
  approvals: {
    list: rule(team, listApprovals),
    get: rule(team, getApproval),
    resolve: rule(deciders, resolve),
    next: rule(deciders, nextApproval),
    claim: rule(deciders, claim),
    release: rule(deciders, unclaim),
    statistics: rule(deciders, reviewStatistics),
    hours: rule(team, getReviewHours),
    setHours: rule(admins, (ctx, hours: ReviewHoursChange) =>
      setReviewHours(ctx, check(ReviewHoursChange, hours)),
    ),
    resolveMany: rule(deciders, (ctx, bulk: BulkVerdict) => resolveMany(ctx, check(BulkVerdict, bulk))),
    resolveMatching: rule(reviewers, (ctx, verdict: z.input<typeof MatchingVerdict>) =>
      resolveMatching(ctx, check(MatchingVerdict, verdict)),
    ),
    sendToClient: rule(deciders, (ctx, id: string, forward: z.input<typeof Forward>) =>
      sendToClient(ctx, id, check(Forward, forward)),
    ),
    escalate: rule(deciders, (ctx, id: string, escalation: Escalation) =>
      escalate(ctx, id, check(Escalation, escalation)),
    ),
  },
}
