import type { EffectiveAgent } from '../agents/effective-queries.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { monthStart, nextMonthStart } from '../campaigns/periods.ts'
import type { Command, Ctx } from '../context.ts'
import { User } from '../identity/entities.ts'
import { queueMail } from '../mail/post.ts'
import { toUsd } from '../money.ts'
import { notify } from '../notifications/notify.ts'
import { Setting } from '../settings/entities.ts'
import { Tenant } from '../tenants/entities.ts'
import { isFree } from '../tenants/free-tenants.ts'
import { blockUnstarted } from './block-unstarted.ts'
import { inFlightCost } from './budget.ts'
import type { RunRow } from './entities.ts'
import { dearestFreeRuns, freeRunsInFlight, lockFreePool, spentByFree } from './free-pool-queries.ts'

/** Days of a month for which the dearest run of a role is looked for. */
const lookBackMs = 31 * 86_400_000

/** The month of the installation, which is that of UTC. */
export const poolMonth = (now: Date) => monthStart(now, 'UTC')

/** What the free tenants have spent together this month, and what they may; micro-dollars. */
export async function freePool(ctx: Ctx): Promise<{ spent: number; limit: number }> {
  const { monthlyMicros: limit } = ctx.services.settings.freeTenants
  return { spent: await spentByFree(ctx.sql, poolMonth(ctx.clock.date())), limit }
}

/**
 * Whether a run still has a share of what all free tenants together may spend on the operator's models this month. As with every
 * cap, the pool is passed by one run in flight at the most.
 */
export async function poolAllowance(
  cmd: Command,
  run: RunRow,
  agent: EffectiveAgent,
): Promise<'granted' | 'reached' | 'uncertain'> {
  // The tenant's own runtime costs the operator nothing.
  if (agent.adapterType === 'adapter_b') return 'granted'
  if (!isFree(await cmd.em.findOneOrFail(Tenant, { id: run.tenantId }))) return 'granted'
  await lockFreePool(cmd.tx)
  const now = cmd.clock.date()
  const { monthlyMicros: limit } = cmd.services.settings.freeTenants
  const spent = await spentByFree(cmd.tx, poolMonth(now))
  if (spent >= limit) return 'reached'
  const since = new Date(now.getTime() - lookBackMs)
  const others = await freeRunsInFlight(cmd.tx, run.id)
  const coming = await inFlightCost(cmd, others, (roles) => dearestFreeRuns(cmd.tx, roles, since))
  return coming > 0 && spent + coming >= limit ? 'uncertain' : 'granted'
}

/** Blocks an activity since the pool is used up; the tenant's admins and the operators are told, each once a month. */
export async function blockForPool(cmd: Command, run: RunRow, activity: ActivityRow): Promise<undefined> {
  const now = cmd.clock.date()
  const until = nextMonthStart(now, 'UTC').toISOString().slice(0, 10)
  const description = `The free plans of this server have used up what they may spend together until ${until}.`
  const resolution = 'Retry the activity then, or move to a paid plan and retry it at once.'
  blockUnstarted(cmd, run, activity, { type: 'budget', description, resolution })
  const month = poolMonth(now)
  const { tenantId } = activity
  if (!(await isTold(cmd, tenantId, month))) {
    cmd.emit({
      tenantId,
      type: 'budget_alert',
      subject: tenantId,
      data: { scope: 'free_plans', id: tenantId, level: 100, message: description },
    })
    await notify(cmd, {
      tenantId,
      to: 'admins',
      type: 'budget_alert',
      title: 'The budget of the free plans is used up',
      body: `${description} ${resolution}`,
      subjectKind: 'activities',
      subjectId: activity.id,
    })
  }
  await tellOperators(cmd, month)
}

async function isTold(cmd: Command, tenantId: string, since: Date): Promise<boolean> {
  const about = { tenants: [tenantId], types: ['budget_alert'], subject: tenantId }
  const told = await cmd.services.events.read(about, 0, 1_000)
  return told.some(({ at, data }) => at >= since && data['scope'] === 'free_plans')
}

/** The pool is locked, so of several at the same moment one tells. */
async function tellOperators(cmd: Command, month: Date): Promise<void> {
  const name = 'free_tenants.budget_told'
  const value = month.toISOString().slice(0, 7)
  const known = await cmd.em.findOne(Setting, { name })
  if (known?.value === value) return
  if (known) known.value = value
  else cmd.em.create(Setting, { name, value })
  const limitUsd = toUsd(cmd.services.settings.freeTenants.monthlyMicros)
  cmd.log.warn('the free tenants have used up what they may spend together this month', { limitUsd })
  cmd.audit({
    tenantId: null,
    resourceType: 'installation',
    after: { month: value, limitUsd },
    action: 'free_tenants.budget_reached',
  })
  const operators = await cmd.em.find(User, { role: 'super_admin', status: 'active' }, { fields: ['id'] })
  for (const { id: userId } of operators)
    queueMail(cmd, 'mail.free_pool', { tenantId: null, userId, limitUsd })
}
