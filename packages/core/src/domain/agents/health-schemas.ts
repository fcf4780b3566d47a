import { z } from 'zod'
import { isoDate, ulid } from '../../platform/wire.ts'

export const AgentHealth = z.object({
  agentRole: z.string(),
  adapterType: z.string(),
  ok: z.boolean(),
  message: z.string(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })),
  checkedAt: isoDate,
})
export type AgentHealth = z.output<typeof AgentHealth>

export const ProbeReceipt = z.object({
  ok: z.boolean(),
  probeOutput: z.string().optional(),
  durationMs: z.int(),
  error: z.string().optional(),
  /** The run that the probe was; absent where none was started. */
  runId: ulid.optional(),
})
export type ProbeReceipt = z.output<typeof ProbeReceipt>
