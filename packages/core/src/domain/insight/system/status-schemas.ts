import { z } from 'zod'
import { isoDate, queryBool, ulid } from '../../../platform/wire.ts'

export const StatusQuery = z.object({
  tenantId: ulid.optional(),
  /** False leaves those out where nothing is going on. */
  all: queryBool.default(true),
})
export type StatusQuery = z.output<typeof StatusQuery>

export const serviceStates = ['healthy', 'degraded', 'down'] as const

const count = z.int().min(0)

export const Status = z.object({
  timestamp: isoDate,
  tenants: z.array(
    z.object({
      tenantId: ulid,
      tenantName: z.string(),
      pendingApprovals: count,
      highRiskApprovals: count,
      runningAgents: count,
      blockedActivities: count,
      /** USD since the first of the month in the tenant's zone. */
      costMtd: z.number(),
      /** USD of the tenant's cap; the limit is null where there is no cap. */
      creditUsed: z.number(),
      creditLimit: z.number().nullable(),
      /** USD on each of the last 14 days of the tenant's zone, today last. */
      costByDay: z.array(z.number()),
      /** Pieces that ended well on each of the last 14 days, today last. */
      doneByDay: z.array(count),
    }),
  ),
  totals: z.object({
    pendingApprovals: count,
    runningAgents: count,
    blockedActivities: count,
    costMtd: z.number(),
  }),
  infrastructure: z.array(
    z.object({
      service: z.string(),
      status: z.enum(serviceStates),
      latencyMs: z.number().nullable(),
      detail: z.string().nullable(),
    }),
  ),
})
export type Status = z.output<typeof Status>
