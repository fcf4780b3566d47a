import { listDatasetsForReview } from '../../domain/knowledge/datasets/queries.ts'
import { ReviewerDatasetList, ReviewerDatasetQuery } from '../../domain/knowledge/datasets/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.kb.list',
  route: 'GET /kb',
  summary: 'The datasets of all assigned tenants',
  access: reviewers,
  query: ReviewerDatasetQuery,
  reply: { 200: ReviewerDatasetList },
}).handle((ctx) => listDatasetsForReview(ctx))
