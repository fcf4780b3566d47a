import { z } from 'zod'
import { runContext, runState } from '../../domain/runs/context.ts'
import { heartbeat as beat } from '../../domain/runs/heartbeat.ts'
import { reportToolCall, streamDelta } from '../../domain/runs/report.ts'
import { acceptCallback, acceptResult } from '../../domain/runs/receive.ts'
import {
  Callback,
  Delta,
  Heartbeat,
  NewToolCall,
  Received,
  RunContext,
  RunResult,
  RunResultReceipt,
  RunState,
  ToolCallReceipt,
} from '../../domain/runs/schemas.ts'
import { watchRun } from '../../domain/runs/watch.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { stream } from '../../gateway/stream.ts'
import { agents } from './access.ts'

export const callback = endpoint({
  id: 'agent.callback.receive',
  route: 'POST /callback/:runId',
  summary: 'The one result of a run, in the callback or the webhook shape',
  access: agents,
  body: Callback,
  reply: { 200: Received },
  errors: ['UNAUTHORIZED', 'CONFLICT', 'NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, body }) => acceptCallback(ctx, params.runId, body))

export const watch = stream({
  id: 'agent.callback.stream',
  route: 'GET /callback/:runId/stream',
  summary: 'The text of the run as it is written, until the run ends',
  access: agents,
  events: {
    text_delta: z.object({ delta: z.string(), sequenceNum: z.int() }),
    completed: z.object({
      status: z.literal('success'),
      usage: z.object({ inputTokens: z.int(), outputTokens: z.int() }),
    }),
    error: z.object({ error: z.string() }),
  },
  errors: ['UNAUTHORIZED', 'NOT_FOUND'],
  open: (ctx, { params }, channel) => watchRun(ctx, params.runId, channel),
})

export const context = endpoint({
  id: 'agent.runs.context',
  route: 'GET /runs/:runId/context',
  summary: 'All that the agent needs to know for its run',
  access: agents,
  reply: { 200: RunContext },
  errors: ['UNAUTHORIZED', 'NOT_FOUND'],
}).handle((ctx, { params }) => runContext(ctx, params.runId))

export const heartbeat = endpoint({
  id: 'agent.runs.heartbeat',
  route: 'POST /runs/:runId/heartbeat',
  summary: 'Say that the run is at work: its time and its token begin anew',
  access: agents,
  reply: { 200: Heartbeat },
  errors: ['UNAUTHORIZED', 'NOT_FOUND'],
}).handle((ctx, { params }) => beat(ctx, params.runId))

export const result = endpoint({
  id: 'agent.runs.result',
  route: 'POST /runs/:runId/result',
  summary: 'The one result of a run',
  access: agents,
  body: RunResult,
  reply: { 200: RunResultReceipt },
  errors: ['UNAUTHORIZED', 'CONFLICT', 'NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, body }) => acceptResult(ctx, params.runId, body))

export const status = endpoint({
  id: 'agent.runs.status',
  route: 'GET /runs/:runId/status',
  summary: 'Where the run stands and how long its token lives',
  access: agents,
  reply: { 200: RunState },
  errors: ['UNAUTHORIZED', 'NOT_FOUND'],
}).handle((ctx, { params }) => runState(ctx, params.runId))

export const delta = endpoint({
  id: 'agent.runs.stream',
  route: 'POST /runs/:runId/stream',
  summary: 'A piece of text as it is written',
  access: agents,
  body: Delta,
  reply: { 200: Received },
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, body }) => streamDelta(ctx, params.runId, body))

export const toolCall = endpoint({
  id: 'agent.runs.tool_call',
  route: 'POST /runs/:runId/tool-call',
  summary: 'A tool call of the run, for the audit and the bill',
  access: agents,
  body: NewToolCall,
  reply: { 201: ToolCallReceipt },
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, body }) => reportToolCall(ctx, params.runId, body))
