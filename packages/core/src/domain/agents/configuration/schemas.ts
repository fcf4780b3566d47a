import { z } from 'zod'
import { usdAmount } from '../../../kernel/money.ts'
import { REDACTED } from '../../../platform/redact.ts'
import { isoDate, ulid } from '../../../platform/wire.ts'

/** What the built-in loop can offer an agent as tools. */
export const agentTools = [
  'report_blocker',
  'create_subtask',
  'request_review',
  'create_approval',
  'add_comment',
  'knowledge_search',
  'web_read',
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

/** What is set about an agent whatever runs it. */
export const promptSettings = {
  promptTemplate: z.string().min(1).max(50_000).optional(),
  /** Seconds, as the next one. */
  timeoutSec: z.int().min(10).max(3_600).optional(),
  graceSec: z.int().min(0).max(300).optional(),
  maxTurnsPerRun: z.int().min(1).max(100).optional(),
  /** Asked in turn when the agent's own model fails; an empty list asks no other. */
  fallbackModels: z.array(z.string().min(1).max(200)).max(10).optional(),
}

const AdapterChanges = z
  .strictObject({
    ...promptSettings,
    /** The name of a command that the operator of the installation has configured. */
    command: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Must be the name of a command')
      .optional(),
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
  /** Skills of the installation, in place of those of the master; the tenant's own come on top. */
  skillIds: z.array(ulid).max(100).optional(),
  concurrency: z.int().min(1).max(10).optional(),
  adapterType: z.enum(['adapter_a', 'adapter_b', 'local']).optional(),
  adapterConfig: AdapterChanges.optional(),
})
export type AgentChanges = z.output<typeof AgentChanges>

/** An agent role in progress for one tenant, in lists. */
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
export const AgentList = z.object({ data: z.array(AgentItem) })

export const AgentDetail = AgentItem.extend({
  /** For people. */
  name: z.string(),
  description: z.string(),
  /** What the tenant has set itself, such as `adapterConfig.timeoutSec`; the rest is the master's. */
  customFields: z.array(z.string()),
  adapterConfig: z.object({
    model: z.string(),
    promptTemplate: z.string(),
    timeoutSec: z.int(),
    graceSec: z.int(),
    maxTurnsPerRun: z.int(),
    fallbackModels: z.array(z.string()),
    command: z.string().optional(),
    webhookUrl: z.string().optional(),
    authHeader: z.string().optional(),
    /** Says only that there is one. */
    authValue: z.literal(REDACTED).optional(),
    /** Names of what the agent's process finds in its environment; values never leave. */
    environmentKeys: z.array(z.string()),
  }),
  /** What the template may say in `{{…}}`. */
  placeholders: z.array(z.string()),
})
export type AgentDetail = z.output<typeof AgentDetail>

export const AgentCheck = z.object({
  ok: z.boolean(),
  message: z.string(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })),
})
export type AgentCheck = z.output<typeof AgentCheck>
