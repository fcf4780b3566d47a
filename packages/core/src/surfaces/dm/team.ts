import { listTeamForReview } from '../../domain/accounts/identity/team-queries.ts'
import { ReviewerTeam, ReviewerTeamQuery } from '../../domain/accounts/identity/team-schemas.ts'
import { reassignAll } from '../../domain/work/activities/hand-over-all.ts'
import { WholeHandover, WholeHandoverReceipt } from '../../domain/work/activities/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.team.list',
  route: 'GET /team',
  summary: 'The people and the agents of all assigned tenants',
  access: reviewers,
  query: ReviewerTeamQuery,
  reply: { 200: ReviewerTeam },
}).handle((ctx, { query }) => listTeamForReview(ctx, query))

export const reassignActivities = endpoint({
  id: 'dm.team.reassign_activities',
  route: 'POST /team/:principalId/reassign-activities',
  summary: 'Give everything open that a person or an agent has to another of the same tenant',
  access: reviewers,
  body: WholeHandover,
  reply: { 200: WholeHandoverReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'team.reassign_activities',
}).handle((ctx, { params, body }) => reassignAll(ctx, params.principalId, body))
