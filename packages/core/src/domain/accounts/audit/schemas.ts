import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { answerWays } from '../consents/entities.ts'

const actorTypes = ['human', 'agent', 'api_key'] as const

export const AuditItem = z.object({
  id: ulid,
  /** Semantic label, such as `approval.resolve`. */
  action: z.string(),
  actor: z.object({
    /** User ULID, `agent:<runId>`, or `system`. */
    id: z.string(),
    type: z.enum(actorTypes),
    /** Of a person who is still known. */
    name: z.string().nullable(),
  }),
  /** The tenant, when a super-admin looked at it with an impersonation token. */
  impersonating: ulid.nullable(),
  /** The assistant that acted for the actor, as it named itself. */
  assistant: z.string().nullable(),
  /** The consent that the assistant acted under: who agreed, and how. */
  consent: z.object({ id: ulid, by: ulid, how: z.enum(answerWays) }).nullable(),
  tenantId: ulid.nullable(),
  requestId: z.string(),
  surface: z.string(),
  method: z.string(),
  path: z.string(),
  resourceType: z.string(),
  resourceId: z.string().nullable(),
  before: z.unknown(),
  after: z.unknown(),
  status: z.int(),
  durationMs: z.int(),
  createdOn: isoDate,
})
export type AuditItem = z.output<typeof AuditItem>
export const AuditPage = page(AuditItem)

export const AuditQuery = pageQuery.extend({
  'filter.actorType': z.enum(actorTypes).optional(),
  'filter.action': z.string().trim().min(1).max(200).optional(),
})
export type AuditQuery = z.output<typeof AuditQuery>
