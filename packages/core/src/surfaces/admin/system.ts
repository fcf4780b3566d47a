import { CallPage, CallQuery } from '../../domain/runs/admin-schemas.ts'
import { listCalls } from '../../domain/runs/call-queries.ts'
import { systemHealth } from '../../domain/system/health.ts'
import { SystemHealth } from '../../domain/system/schemas.ts'
import { listDeadLetters } from '../../domain/runs/dead-letter-queries.ts'
import { listQueues } from '../../domain/runs/queue-queries.ts'
import { DeadLetterPage, DeadLetterQuery, QueueList } from '../../domain/runs/queue-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const errors = endpoint({
  id: 'admin.system.errors',
  route: 'GET /system/errors',
  summary: 'Runs and jobs that were given up, with the history of their tries, newest first',
  access: operators,
  query: DeadLetterQuery,
  reply: { 200: DeadLetterPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listDeadLetters(ctx, query))

export const queues = endpoint({
  id: 'admin.system.queues',
  route: 'GET /system/queues',
  summary: 'How the queue of every agent of every tenant stands',
  access: operators,
  reply: { 200: QueueList },
}).handle((ctx) => listQueues(ctx))

export const health = endpoint({
  id: 'admin.system.health',
  route: 'GET /system/health',
  summary: 'Whether everything that the platform stands on answers, and what waits to be done',
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
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listCalls(ctx, query))
