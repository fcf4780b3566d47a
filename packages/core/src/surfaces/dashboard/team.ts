import { z } from 'zod'
import { orgChart as readOrgChart } from '../../domain/identity/org-chart.ts'
import { changeRole, inviteToTeam, removeFromTeam } from '../../domain/identity/team.ts'
import { listTeam } from '../../domain/identity/team-queries.ts'
import {
  OrgChart,
  TeamInvitation,
  TeamInvitationReceipt,
  TeamList,
  TeamMember,
  TeamQuery,
  TeamRole,
} from '../../domain/identity/team-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.team.list',
  route: 'GET /team',
  summary: 'The people and the agents of the tenant',
  access: team,
  query: TeamQuery,
  reply: { 200: TeamList },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listTeam(ctx, query))

export const invite = endpoint({
  id: 'dashboard.team.invite',
  route: 'POST /team/invite',
  summary: 'Invite somebody to the team by mail; the link can be handed over otherwise too',
  access: admins,
  body: TeamInvitation,
  reply: { 201: TeamInvitationReceipt },
  errors: ['VALIDATION_ERROR', 'CONFLICT', 'UNPROCESSABLE', 'NOT_FOUND'],
  audit: 'invitation.create',
}).handle((ctx, { body }) => inviteToTeam(ctx, body))

export const changeMember = endpoint({
  id: 'dashboard.team.change',
  route: 'PATCH /team/users/:userId',
  summary: 'Make an admin of a member or the other way round; the sessions of that person end',
  access: admins,
  body: TeamRole,
  reply: { 200: TeamMember },
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
  audit: 'team.change_role',
}).handle((ctx, { params, body }) => changeRole(ctx, params.userId, body))

export const remove = endpoint({
  id: 'dashboard.team.remove',
  route: 'DELETE /team/users/:userId',
  summary: 'Take somebody off the team; nothing that this person holds opens anything any more',
  access: admins,
  reply: { 204: z.void() },
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'team.remove',
}).handle((ctx, { params }) => removeFromTeam(ctx, params.userId))

export const orgChart = endpoint({
  id: 'dashboard.org_chart.get',
  route: 'GET /org-chart',
  summary: 'Who works for the tenant and who reports to whom',
  access: team,
  reply: { 200: OrgChart },
}).handle((ctx) => readOrgChart(ctx))
