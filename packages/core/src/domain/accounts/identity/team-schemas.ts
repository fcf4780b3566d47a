import { z } from 'zod'
import { plainName } from '../../../kernel/names.ts'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { invitedRoles } from './entities.ts'
import { Email } from './schemas.ts'

const principalTypes = ['human', 'agent'] as const
const principalStatuses = ['active', 'inactive', 'terminated'] as const

/** A person or an agent who works for a tenant. */
export const TeamPrincipal = z.object({
  id: ulid,
  type: z.enum(principalTypes),
  name: z.string(),
  email: z.string().optional(),
  role: z.string(),
  /** `inactive` is suspended or paused, `terminated` works here no more. */
  status: z.enum(principalStatuses),
  /** Only of agents, as is the next one. */
  agentAdapter: z.string().optional(),
  runningCount: z.int().optional(),
  /** The last login of a person, the start of an agent's last run. */
  lastActiveAt: isoDate.optional(),
  createdOn: isoDate,
})
export type TeamPrincipal = z.output<typeof TeamPrincipal>
export const TeamList = z.object({ data: z.array(TeamPrincipal) })

export const ReviewerPrincipal = TeamPrincipal.extend({ tenantId: ulid, tenantName: z.string() })
export type ReviewerPrincipal = z.output<typeof ReviewerPrincipal>
export const ReviewerTeam = z.object({ data: z.array(ReviewerPrincipal) })

export const TeamQuery = z.object({
  'filter.type': z.enum(principalTypes).optional(),
  'filter.status': z.enum(principalStatuses).optional(),
  'filter.role': z.string().max(100).optional(),
})
export type TeamQuery = z.output<typeof TeamQuery>

export const ReviewerTeamQuery = TeamQuery.omit({ 'filter.status': true }).extend({
  tenantId: ulid.optional(),
})
export type ReviewerTeamQuery = z.output<typeof ReviewerTeamQuery>

export const TeamInvitation = z.object({
  email: Email,
  name: plainName(200),
  role: z.enum(invitedRoles),
})
export type TeamInvitation = z.output<typeof TeamInvitation>
export const TeamInvitationReceipt = z.object({ inviteId: ulid, inviteUrl: z.string(), expiresAt: isoDate })

/** What someone of a tenant can be. */
export const TeamRole = z.object({ role: z.enum(['admin', 'member']) })
export type TeamRole = z.output<typeof TeamRole>

export const TeamMember = z.object({
  id: ulid,
  email: z.string(),
  name: z.string(),
  role: z.enum(['admin', 'member']),
  status: z.string(),
  createdOn: isoDate,
  /** The role from the proof of the mailbox on, while that is awaited. */
  pendingRole: z.enum(['admin', 'member']).optional(),
})
export type TeamMember = z.output<typeof TeamMember>

export const OrgChart = z.object({
  nodes: z.array(
    TeamPrincipal.pick({ id: true, type: true, name: true, role: true, status: true }).extend({
      reportsTo: ulid.optional(),
    }),
  ),
  edges: z.array(z.object({ from: ulid, to: ulid, label: z.string().optional() })),
})
export type OrgChart = z.output<typeof OrgChart>
