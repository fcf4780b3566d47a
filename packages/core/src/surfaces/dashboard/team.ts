import { z } from 'zod'
import { changeRole, inviteToTeam, removeFromTeam } from '../../domain/accounts/identity/team.ts'
import { listTeam } from '../../domain/accounts/identity/team-queries.ts'
import {
  TeamInvitation,
  TeamInvitationReceipt,
  TeamList,
  TeamMember,
  TeamQuery,
  TeamRole,
} from '../../domain/accounts/identity/team-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.team.list',
  route: 'GET /team',
  summary: 'The people and the agents of the tenant',
  access: team,
  query: TeamQuery,
  reply: { 200: TeamList },
}).handle((ctx, { query }) => listTeam(ctx, query))

export const invite = endpoint({
  id: 'dashboard.team.invite',
  route: 'POST /team/invite',
  summary: 'Invite someone to the team by mail; the link can be handed over otherwise too',
  access: admins,
  body: TeamInvitation,
  reply: { 201: TeamInvitationReceipt },
  errors: ['CONFLICT', 'UNPROCESSABLE', 'NOT_FOUND'],
  audit: 'invitation.create',
}).handle((ctx, { body }) => inviteToTeam(ctx, body))

export const change = endpoint({
  id: 'dashboard.team.change',
  route: 'PATCH /team/users/:userId',
  summary: 'Make an admin of a member or the other way round; the sessions of that person end',
  access: admins,
  body: TeamRole,
  reply: { 200: TeamMember },
  errors: ['CONFLICT'],
  audit: 'team.change_role',
}).handle((ctx, { params, body }) => changeRole(ctx, params.userId, body))

export const remove = endpoint({
  id: 'dashboard.team.remove',
  route: 'DELETE /team/users/:userId',
  summary: 'Take someone off the team; nothing that this person holds opens anything any more',
  access: admins,
  reply: { 204: z.void() },
  errors: ['CONFLICT'],
  audit: 'team.remove',
}).handle((ctx, { params }) => removeFromTeam(ctx, params.userId))
