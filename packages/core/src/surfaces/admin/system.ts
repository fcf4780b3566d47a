import { systemHealth } from '../../domain/insight/system/health.ts'
import { SystemHealth } from '../../domain/insight/system/schemas.ts'
import { CallPage, CallQuery } from '../../domain/work/runs/lifecycle/admin-schemas.ts'
import { listCalls } from '../../domain/work/runs/lifecycle/call-queries.ts'
import { listDeadLetters } from '../../domain/work/runs/queue/dead-letter-queries.ts'
import { listQueues } from '../../domain/work/runs/queue/queue-queries.ts'
import { DeadLetterPage, DeadLetterQuery, QueueList } from '../../domain/work/runs/queue/queue-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const errors = endpoint({
  id: 'admin.system.errors',
  route: 'GET /system/errors',
  summary: 'Runs and jobs that were given up, with the history of their tries, newest first',
  access: operators,
  query: DeadLetterQuery,
  reply: { 200: DeadLetterPage },
}).handle((ctx, { query }) => listDeadLetters(ctx, query))

export const queues = endpoint({
  id: 'admin.system.queues',
  route: 'GET /system/queues',
  summary: 'The queue of every agent of every tenant',
  access: operators,
  reply: { 200: QueueList },
}).handle((ctx) => listQueues(ctx))

export const health = endpoint({
  id: 'admin.system.health',
  route: 'GET /system/health',
  summary: 'Whether all dependencies of the platform respond, and the number of queued jobs',
  access: operators,
  reply: { 200: SystemHealth },
}).handle((ctx) => systemHealth(ctx))

export const llmCalls = endpoint({
  id: 'admin.system.llm_calls',
  route: 'GET /system/llm-calls',
  summary: 'Requests to models with what they cost and how long they took, newest first',
  access: operators,
  query: CallQuery,
  reply: { 200: CallPage },
}).handle((ctx, { query }) => listCalls(ctx, query))
