import { RunDetail, RunList, RunQuery } from '../../domain/runs/admin-schemas.ts'
import { getRun, listRuns } from '../../domain/runs/list-queries.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.runs.list',
  route: 'GET /runs',
  summary: 'Runs of agents at all tenants, newest first',
  access: operators,
  query: RunQuery,
  reply: { 200: RunList },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listRuns(ctx, query))

export const detail = endpoint({
  id: 'admin.runs.get',
  route: 'GET /runs/:runId',
  summary: 'One run with its prompts, its text and its transcript',
  access: operators,
  reply: { 200: RunDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getRun(ctx, params.runId))
