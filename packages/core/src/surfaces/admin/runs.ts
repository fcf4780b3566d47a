import { RunDetail, RunList, RunQuery } from '../../domain/work/runs/lifecycle/admin-schemas.ts'
import { getRun, listRuns } from '../../domain/work/runs/lifecycle/list-queries.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.runs.list',
  route: 'GET /runs',
  summary: 'Runs of agents at all tenants, newest first',
  access: operators,
  query: RunQuery,
  reply: { 200: RunList },
}).handle((ctx, { query }) => listRuns(ctx, query))

export const get = endpoint({
  id: 'admin.runs.get',
  route: 'GET /runs/:runId',
  summary: 'One run with its prompts, its text and its transcript',
  access: operators,
  reply: { 200: RunDetail },
}).handle((ctx, { params }) => getRun(ctx, params.runId))
