import { orgChart as readOrgChart } from '../../domain/accounts/identity/team.ts'
import { OrgChart } from '../../domain/accounts/identity/team-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const get = endpoint({
  id: 'dashboard.org_chart.get',
  route: 'GET /org-chart',
  summary: 'Who works for the tenant and who reports to whom',
  access: team,
  reply: { 200: OrgChart },
}).handle((ctx) => readOrgChart(ctx))
