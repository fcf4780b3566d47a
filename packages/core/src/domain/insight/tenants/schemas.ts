import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { UserItem } from '../../accounts/identity/admin-schemas.ts'
import { tenantStatuses } from '../../accounts/tenants/entities.ts'
import { featureFlags } from '../../accounts/tenants/schemas.ts'
import { AgentItem } from '../../agents/configuration/schemas.ts'

export const TenantDetail = z.object({
  id: ulid,
  name: z.string(),
  domain: z.string().nullable(),
  plan: z.string(),
  status: z.enum(tenantStatuses),
  spendCapUsd: z.number().nullable(),
  featureFlags,
  /** How this installation runs: `hosted` in production, `local` elsewhere. */
  deploymentMode: z.enum(['hosted', 'local']),
  usage: z.object({
    monthlySpendUsd: z.number(),
    /** Requests to models since the month began; what a remote runtime reports of a run counts once. */
    monthlyLlmCallCount: z.int(),
    totalActivities: z.int(),
    /** Bytes of everything that agents and people have written. */
    storageBytes: z.int(),
  }),
  billing: z.object({
    subscriptionId: ulid.optional(),
    nextBillingDate: isoDate.optional(),
    lastPaymentUsd: z.number().optional(),
    lastPaymentDate: isoDate.optional(),
    paymentStatus: z.enum(['current', 'overdue', 'cancelled']).optional(),
  }),
  agents: z.array(AgentItem),
  users: z.array(UserItem.omit({ tenantId: true, tenantName: true })),
  timezone: z.string(),
  createdOn: isoDate,
})
export type TenantDetail = z.output<typeof TenantDetail>
