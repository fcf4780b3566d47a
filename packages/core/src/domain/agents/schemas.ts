import { z } from 'zod'
import { isoDate, ulid } from '../../platform/wire.ts'
import { usdAmount } from '../money.ts'

/** What the built-in loop can offer an agent as tools. */
export const agentTools = [
  'report_blocker',
  'create_subtask',
  'request_review',
  'create_approval',
  'add_comment',
] as const

/** Set by the connection itself, so a webhook's secret cannot go there. */
const reserved = ['host', 'content-length', 'content-type', 'transfer-encoding', 'connection', 'x-request-id']

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'Must be a header name')
  .refine((name) => !reserved.includes(name.toLowerCase()), 'This header is set by Copydesk itself')

const webhookUrl = z
  .string()
  .max(2_000)
  .refine((text) => {
    const url = URL.parse(text)
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  }, 'Must be an http or https URL without a user name or password in it')

const AdapterChanges = z
  .strictObject({
    promptTemplate: z.string().min(1).max(50_000).optional(),
    timeoutSec: z.int().min(10).max(3_600).optional(),
    graceSec: z.int().min(0).max(300).optional(),
    maxTurnsPerRun: z.int().min(1).max(100).optional(),
    webhookUrl: webhookUrl.optional(),
    authHeader: headerName.optional(),
    /** Stored encrypted and never shown again. */
    authValue: z
      .string()
      .min(1)
      .max(4_000)
      .regex(/^[\x20-\x7e]+$/, 'Must be printable ASCII')
      .optional(),
    /** How long to wait for the callback of an external runtime. */
    timeoutMs: z.int().min(10_000).max(3_600_000).optional(),
  })
  .refine(({ timeoutSec, timeoutMs }) => timeoutSec === undefined || timeoutMs === undefined, {
    path: ['timeoutMs'],
    message: 'Give timeoutSec or timeoutMs, not both',
  })

export const AgentChanges = z.strictObject({
  model: z.string().min(1).max(200).optional(),
  maxCostUsdPerActivity: usdAmount.optional(),
  /** Replaces the whole list. */
  toolNames: z.array(z.enum(agentTools)).max(agentTools.length).optional(),
  concurrency: z.int().min(1).max(10).optional(),
  adapterType: z.enum(['adapter_b', 'local']).optional(),
  adapterConfig: AdapterChanges.optional(),
})
export type AgentChanges = z.output<typeof AgentChanges>

/** An agent role at work for one tenant, in lists. */
export const AgentItem = z.object({
  id: ulid,
  role: z.string(),
  status: z.enum(['active', 'running', 'idle', 'error', 'paused', 'terminated']),
  runningCount: z.int(),
  model: z.string(),
  adapterType: z.string(),
  toolNames: z.array(z.string()),
  skillIds: z.array(z.string()),
  maxCostUsdPerActivity: z.number().optional(),
  concurrency: z.int(),
  isGlobalDefault: z.boolean(),
  lastErrorAt: isoDate.optional(),
  lastErrorMessage: z.string().optional(),
})
export type AgentItem = z.output<typeof AgentItem>
