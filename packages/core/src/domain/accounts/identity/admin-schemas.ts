import { z } from 'zod'
import { assistantAccesses, roles } from '../../../kernel/context.ts'
import { isoDate, page, pageQuery, queryInt, ulid } from '../../../platform/wire.ts'

const personRoles = roles.filter((role) => role !== 'agent')
const userStatuses = ['active', 'suspended', 'deactivated'] as const

export const UserItem = z.object({
  id: ulid,
  email: z.string(),
  name: z.string(),
  role: z.enum(personRoles),
  status: z.enum(userStatuses),
  /** Null for staff. */
  tenantId: ulid.nullable(),
  tenantName: z.string().nullable(),
  lastLoginAt: isoDate.nullable(),
  createdOn: isoDate,
})
export type UserItem = z.output<typeof UserItem>
export const UserPage = page(UserItem)

export const UserQuery = pageQuery.extend({
  limit: queryInt(1, 100).default(50),
  'filter.tenantId': ulid.optional(),
  'filter.role': z.enum(personRoles).optional(),
  'filter.status': z.enum(userStatuses).optional(),
  /** Words of the name or the e-mail address. */
  'filter.search': z.string().trim().min(1).max(200).optional(),
})
export type UserQuery = z.output<typeof UserQuery>

/** Why someone is shut out; it stands in the audit log. */
export const Suspension = z.object({ reason: z.string().trim().min(1).max(2_000) })
export const Suspended = z.object({ suspended: z.literal(true) })
export const Reinstated = z.object({ reinstated: z.literal(true) })

export const ApiKeyItem = z.object({
  id: ulid,
  name: z.string(),
  userId: ulid,
  keyPreview: z.string(),
  /** Null is every tenant that the user has. */
  tenantIds: z.array(ulid).nullable(),
  /** What an assistant may do with the key. */
  assistantAccess: z.enum(assistantAccesses),
  expiresAt: isoDate.nullable(),
  lastUsedAt: isoDate.nullable(),
  status: z.enum(['active', 'revoked', 'expired']),
  createdOn: isoDate,
})
export type ApiKeyItem = z.output<typeof ApiKeyItem>
export const ApiKeyPage = page(ApiKeyItem)

export const ApiKeyQuery = pageQuery.extend({ 'filter.userId': ulid.optional() })
export type ApiKeyQuery = z.output<typeof ApiKeyQuery>

export const NewApiKey = z.object({
  userId: ulid,
  name: z.string().trim().min(1).max(200),
  /** Narrows the key to some of the user's tenants. */
  tenantIds: z.array(ulid).min(1).max(1_000).optional(),
  /** What an assistant may do with the key; default: read. */
  assistantAccess: z.enum(assistantAccesses).optional(),
  expiresAt: isoDate.optional(),
})
export type NewApiKey = z.output<typeof NewApiKey>

/** The key itself is only here. */
export const CreatedApiKey = ApiKeyItem.omit({ lastUsedAt: true, status: true }).extend({ key: z.string() })

export const Impersonation = z.object({ tenantId: ulid })
export const ImpersonationGrant = z.object({ impersonationToken: z.string(), dashboardUrl: z.string() })
