import { z } from 'zod'
import { acceptCallback } from '../../domain/work/runs/lifecycle/receive.ts'
import { Callback, Received } from '../../domain/work/runs/lifecycle/schemas.ts'
import { watchRun } from '../../domain/work/runs/text/watch.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { eventStream } from '../../gateway/stream.ts'
import { agents } from './access.ts'

export const receive = endpoint({
  id: 'agent.callback.receive',
  route: 'POST /callback/:runId',
  summary: 'The one result of a run, in the callback or the webhook shape',
  access: agents,
  body: Callback,
  reply: { 200: Received },
  errors: ['CONFLICT'],
}).handle((ctx, { params, body }) => acceptCallback(ctx, params.runId, body))

export const stream = eventStream({
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
  open: (ctx, { params }, channel) => watchRun(ctx, params.runId, channel),
})
