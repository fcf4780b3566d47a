import type { Ctx } from '../context.ts'
import type { OrgChart, TeamPrincipal } from './team-schemas.ts'
import { listTeam } from './team-queries.ts'

/**
 * Who works for the tenant and who reports to whom: admins lead, the others report to the first of them, and agents to whom
 * their work goes for approval. Whoever works here no more is left out. Serves `GET /dashboard/v1/org-chart`.
 */
export async function orgChart(ctx: Ctx): Promise<OrgChart> {
  const team = (await listTeam(ctx)).data.filter(({ status }) => status !== 'terminated')
  const lead = team.find(isLead) ?? team.find(({ role, type }) => type === 'human' && role === 'admin')
  const superior = (one: TeamPrincipal) =>
    one.type === 'human' && one.role === 'admin' ? undefined : lead?.id
  return {
    nodes: team.map((one) => {
      const { id, type, name, role, status } = one
      const reportsTo = superior(one)
      return { id, type, name, role, status, ...(reportsTo !== undefined && { reportsTo }) }
    }),
    edges: team.flatMap((one) => {
      const to = superior(one)
      return to === undefined
        ? []
        : [{ from: one.id, to, label: one.type === 'agent' ? 'asks for approval' : 'reports to' }]
    }),
  }
}

const isLead = ({ type, role, status }: TeamPrincipal) =>
  type === 'human' && role === 'admin' && status === 'active'
