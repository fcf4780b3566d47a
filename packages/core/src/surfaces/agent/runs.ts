import { runContext, runState } from '../../domain/work/runs/lifecycle/context.ts'
import { heartbeat as beat } from '../../domain/work/runs/lifecycle/heartbeat.ts'
import { acceptResult } from '../../domain/work/runs/lifecycle/receive.ts'
import { reportToolCall, streamDelta } from '../../domain/work/runs/lifecycle/report.ts'
import {
  Delta,
  Heartbeat,
  NewToolCall,
  Received,
  RunContext,
  RunResult,
  RunResultReceipt,
  RunState,
  ToolCallReceipt,
} from '../../domain/work/runs/lifecycle/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { agents } from './access.ts'

export const context = endpoint({
  id: 'agent.runs.context',
  route: 'GET /runs/:runId/context',
  summary: 'All that the agent needs to know for its run',
  access: agents,
  reply: { 200: RunContext },
}).handle((ctx, { params }) => runContext(ctx, params.runId))

export const heartbeat = endpoint({
  id: 'agent.runs.heartbeat',
  route: 'POST /runs/:runId/heartbeat',
  summary: 'Say that the run is running: its time and its token begin again',
  access: agents,
  reply: { 200: Heartbeat },
}).handle((ctx, { params }) => beat(ctx, params.runId))

export const result = endpoint({
  id: 'agent.runs.result',
  route: 'POST /runs/:runId/result',
  summary: 'The one result of a run',
  access: agents,
  body: RunResult,
  reply: { 200: RunResultReceipt },
  errors: ['CONFLICT'],
}).handle((ctx, { params, body }) => acceptResult(ctx, params.runId, body))

export const status = endpoint({
  id: 'agent.runs.status',
  route: 'GET /runs/:runId/status',
  summary: 'The state of the run and the expiry of its token',
  access: agents,
  reply: { 200: RunState },
}).handle((ctx, { params }) => runState(ctx, params.runId))

export const stream = endpoint({
  id: 'agent.runs.stream',
  route: 'POST /runs/:runId/stream',
  summary: 'A delta of the text as it is written',
  access: agents,
  body: Delta,
  reply: { 200: Received },
}).handle((ctx, { params, body }) => streamDelta(ctx, params.runId, body))

export const toolCall = endpoint({
  id: 'agent.runs.tool_call',
  route: 'POST /runs/:runId/tool-call',
  summary: 'A tool call of the run, for the audit and the bill',
  access: agents,
  body: NewToolCall,
  reply: { 201: ToolCallReceipt },
}).handle((ctx, { params, body }) => reportToolCall(ctx, params.runId, body))
