import { reassignAll } from '../../domain/activities/hand-over-all.ts'
import { WholeHandover, WholeHandoverReceipt } from '../../domain/activities/schemas.ts'
import { listTeamForReview } from '../../domain/identity/team-queries.ts'
import { ReviewerTeam, ReviewerTeamQuery } from '../../domain/identity/team-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.team.list',
  route: 'GET /team',
  summary: 'The people and the agents of all assigned tenants',
  access: reviewers,
  query: ReviewerTeamQuery,
  reply: { 200: ReviewerTeam },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listTeamForReview(ctx, query))

export const reassign = endpoint({
  id: 'dm.team.reassign_activities',
  route: 'POST /team/:principalId/reassign-activities',
  summary: 'Give everything open that a person or an agent has to another of the same tenant',
  access: reviewers,
  body: WholeHandover,
  reply: { 200: WholeHandoverReceipt },
  errors: ['NOT_FOUND', 'UNPROCESSABLE', 'VALIDATION_ERROR'],
  audit: 'team.reassign_activities',
}).handle((ctx, { params, body }) => reassignAll(ctx, params.principalId, body))
