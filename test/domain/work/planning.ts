import type { Client } from '@copydesk/client'
import type { CopydeskOptions } from '@copydesk/core'
import { Activity, type ActivityRow } from '../../../packages/core/src/domain/work/activities/entities.ts'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { asInstant } from '../../kit/columns.ts'

export interface PlanJob {
  status: string
  uniqueKey: string | null
  runAt: Date
}

export interface PlanningTenant {
  tenantId: string
  /** An access token lives a quarter of an hour, so the admin logs in again once the clock has moved on. */
  logIn(): Promise<Client>
}

export interface PlanningApp extends TestApp {
  clock: TestClock
  tenantIn(timezone: string): Promise<PlanningTenant>
  /** Resolves when no planning is due or under way any more. */
  planned(): Promise<void>
  /** Moves the clock to an instant, and lets everything be planned that has become due. */
  goTo(instant: string): Promise<void>
  /** The planning that a tenant has waiting, or has had. */
  planJobs(tenantId: string, status: 'waiting' | 'done'): Promise<PlanJob[]>
  activitiesOf(campaignId: string): Promise<ActivityRow[]>
  /** Changes rows directly, where there is no endpoint yet. */
  run(sql: string, ...params: Array<string | Date>): Promise<void>
}

/** A whole instance at a moment of the test's choice. Its jobs run; unless `changes` say so, its agents do not start. */
export async function createPlanningApp(
  at: string,
  changes: Partial<CopydeskOptions> = {},
): Promise<PlanningApp> {
  const clock = createTestClock(Date.parse(at))
  const app = await createTestApp({ clock, worker: { concurrency: 0 }, ...changes })
  let tenants = 0
  const planned = async () => {
    await app.until(async () => {
      const due = await app.db.sql.get(
        `select 1 as one from job where kind = 'campaign.plan' and (status = 'running' or (status = 'waiting' and run_at <= ?))`,
        [clock.date()],
      )
      // The queue looks for what has become due when the clock moves.
      if (due) clock.advance(100)
      return !due
    }, 'everything due is planned')
  }
  return {
    ...app,
    clock,
    planned,
    async tenantIn(timezone) {
      const system = app.copydesk.asSystem()
      const { id: tenantId } = await system.tenants.create({ name: `In ${timezone}`, timezone })
      const email = `admin.${(tenants += 1)}@planning.example`
      await system.users.create({ email, name: 'Ada Admin', password, role: 'admin', tenantId })
      return {
        tenantId,
        async logIn() {
          const body = { email, password, app: 'dashboard' as const }
          const { accessToken } = await app.clientFor().call('auth', 'POST /login', { body })
          return app.clientFor(accessToken)
        },
      }
    },
    async goTo(instant) {
      clock.advance(Date.parse(instant) - clock.now())
      await planned()
    },
    async planJobs(tenantId, status) {
      const rows = await app.db.sql.all(
        `select status, unique_key, run_at from job where kind = 'campaign.plan' and tenant_id = ? and status = ? order by run_at`,
        [tenantId, status],
      )
      return rows.map((row) => ({
        status: row['status'] as string,
        uniqueKey: row['unique_key'] as string | null,
        runAt: asInstant(row['run_at']),
      }))
    },
    activitiesOf: (campaignId) =>
      app.db.unitOfWork('all', (em) => em.find(Activity, { campaignId }, { orderBy: { id: 'asc' } })),
    async run(sql, ...params) {
      await app.db.write((tx) => tx.run(sql, params))
    },
  }
}

/** Two blog posts a month, each of two steps. */
export const campaign = (more: object = {}) => ({
  name: 'Spring',
  brief: '# Spring\nOats for breakfast.',
  deliverables: [{ type: 'blog_post' as const, quantity: 2, platformIds: ['cms_site'] }],
  ...more,
})
