import type { z } from 'zod'
import { admins, deciders, members, rule } from './api-rules.ts'
import { reassignAll } from './domain/activities/hand-over-all.ts'
import { WholeHandover } from './domain/activities/schemas.ts'
import { check } from './domain/check.ts'
import { orgChart } from './domain/identity/org-chart.ts'
import { changeRole, inviteToTeam, removeFromTeam } from './domain/identity/team.ts'
import { listTeam, listTeamForReview } from './domain/identity/team-queries.ts'
import { TeamInvitation, TeamRole } from './domain/identity/team-schemas.ts'

/** The people and the agents of a tenant. */
export const teamServices = {
  list: rule(members, listTeam),
  orgChart: rule(members, orgChart),
  invite: rule(admins, (ctx, invitation: z.input<typeof TeamInvitation>) =>
    inviteToTeam(ctx, check(TeamInvitation, invitation)),
  ),
  changeRole: rule(admins, (ctx, userId: string, change: z.input<typeof TeamRole>) =>
    changeRole(ctx, userId, check(TeamRole, change)),
  ),
  remove: rule(admins, removeFromTeam),
  listForReview: rule(deciders, listTeamForReview),
  reassignActivities: rule(deciders, (ctx, principalId: string, handover: z.input<typeof WholeHandover>) =>
    reassignAll(ctx, principalId, check(WholeHandover, handover)),
  ),
}
