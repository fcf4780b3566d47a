import { z } from 'zod'
import { isoDate } from '../../../platform/wire.ts'

const check = z.enum(['ok', 'error'])
const count = z.int().min(0)

export const SystemHealth = z.object({
  status: z.enum(['healthy', 'degraded', 'down']),
  services: z.object({
    api: check,
    relational_store: check,
    document_store: check,
    cache: check,
    /** Searched in the relational store. */
    vector_store: check,
    /** Every local provider answers; also `ok` where there is none. */
    local_model: check,
  }),
  queues: z.array(
    z.object({
      /** An agent role, over all tenants; `jobs` is the platform's own work. */
      name: z.string(),
      waiting: count,
      active: count,
      delayed: count,
      /** In the last 24 hours. */
      failed: count,
      deadLettered: count,
    }),
  ),
  /** Streams that are open at the server that answers. */
  sseConnections: count,
  lastCheckedAt: isoDate,
})
export type SystemHealth = z.output<typeof SystemHealth>

/** A request as it has arrived at the server. */
export const Arrival = z.object({
  /** The other end of the connection: the last proxy, or the caller itself. */
  remote: z.string().nullable(),
  /** It is one of those that are trusted. */
  viaProxy: z.boolean(),
  /** As it came in. */
  forwardedFor: z.string().nullable(),
  /** Whom it is counted as. */
  ip: z.string(),
})
export type Arrival = z.output<typeof Arrival>
