import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { Setting } from '../../../../kernel/entities.ts'
import { readHappened } from '../../../../kernel/events.ts'
import { toUsd } from '../../../../kernel/money.ts'
import { shownName } from '../../../../kernel/names.ts'
import { monthStart, nextMonthStart } from '../../../../kernel/periods.ts'
import { User } from '../../../accounts/identity/entities.ts'
import { accountById } from '../../../accounts/identity/queries.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { isFree } from '../../../accounts/tenants/free-tenants.ts'
import type { EffectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { type MailPayload, queueMail } from '../../../people/mail/jobs.ts'
import { sendEmail } from '../../../people/mail/send-email.ts'
import { defineMail, mailOf } from '../../../people/mail/templates/kinds.ts'
import { notify } from '../../../people/notifications/notify.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import type { RunRow } from '../entities.ts'
import { budgetAlert } from '../events.ts'
import { blockUnstarted } from '../lifecycle/end.ts'
import { inFlightCost } from './budget.ts'
import { dearestFreeRuns, freeRunsInFlight, lockFreePool, spentByFree } from './free-pool-queries.ts'
import { mailFreePoolJob } from './jobs.ts'

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
  txn: Transaction,
  run: Pick<RunRow, 'id' | 'tenantId'>,
  agent: Pick<EffectiveAgent, 'adapterType'>,
): Promise<'granted' | 'reached' | 'uncertain'> {
  // The tenant's own runtime costs the operator nothing.
  if (agent.adapterType === 'adapter_b') return 'granted'
  if (!isFree(await txn.em.findOneOrFail(Tenant, { id: run.tenantId }))) return 'granted'
  await lockFreePool(txn.tx)
  const now = txn.clock.date()
  const { monthlyMicros: limit } = txn.services.settings.freeTenants
  const spent = await spentByFree(txn.tx, poolMonth(now))
  if (spent >= limit) return 'reached'
  const since = new Date(now.getTime() - lookBackMs)
  const others = await freeRunsInFlight(txn.tx, run.id)
  const coming = await inFlightCost(txn, others, (roles) => dearestFreeRuns(txn.tx, roles, since))
  return coming > 0 && spent + coming >= limit ? 'uncertain' : 'granted'
}

/** Blocks an activity since the pool is used up; the tenant's admins and the operators are told, each once a month. */
export async function blockForPool(txn: Transaction, run: RunRow, activity: ActivityRow): Promise<undefined> {
  const now = txn.clock.date()
  const until = nextMonthStart(now, 'UTC').toISOString().slice(0, 10)
  const description = `The free plans of this server have used up what they may spend together until ${until}.`
  const resolution = 'Retry the activity then, or move to a paid plan and retry it at once.'
  blockUnstarted(txn, run, activity, { type: 'budget', description, resolution })
  const month = poolMonth(now)
  const { tenantId } = activity
  if (!(await isTold(txn, tenantId, month))) {
    txn.emit(budgetAlert, {
      tenantId,
      subject: tenantId,
      data: { scope: 'free_plans', id: tenantId, level: 100, message: description },
    })
    await notify(txn, {
      tenantId,
      to: 'admins',
      type: 'budget_alert',
      title: 'The budget of the free plans is used up',
      body: `${description} ${resolution}`,
      subjectKind: 'activities',
      subjectId: activity.id,
    })
  }
  await tellOperators(txn, month)
}

async function isTold(txn: Transaction, tenantId: string, since: Date): Promise<boolean> {
  const about = { tenants: [tenantId], subject: tenantId }
  const told = await readHappened(txn.services.events, txn.tx, budgetAlert, about, 1_000)
  return told.some(({ at, data }) => at >= since && data.scope === 'free_plans')
}

/** The pool is locked, so of several at the same moment one tells. */
async function tellOperators(txn: Transaction, month: Date): Promise<void> {
  const name = 'free_tenants.budget_told'
  const value = month.toISOString().slice(0, 7)
  const known = await txn.em.findOne(Setting, { name })
  if (known?.value === value) return
  if (known) known.value = value
  else txn.em.create(Setting, { name, value })
  const limitUsd = toUsd(txn.services.settings.freeTenants.monthlyMicros)
  txn.log.warn('the free tenants have used up what they may spend together this month', { limitUsd })
  txn.audit({
    tenantId: null,
    resourceType: 'installation',
    after: { month: value, limitUsd },
    action: 'free_tenants.budget_reached',
  })
  const operators = await txn.em.find(User, { role: 'super_admin', status: 'active' }, { fields: ['id'] })
  for (const { id: userId } of operators)
    queueMail(txn, mailFreePoolJob, { tenantId: null, payload: { userId, limitUsd } })
}

export const freePoolMail = defineMail({
  slug: 'free-plans-budget',
  name: 'Budget of the free plans used up',
  category: 'alert',
  variables: {
    name: { description: 'Name of the super-admin who gets the mail', required: true },
    limit: { description: 'What the free tenants may spend together in a month', required: true },
  },
  subject: 'The budget of the free plans is used up',
  message: {
    greeting: 'Hello {{ name }},',
    paragraphs: [
      'The tenants on free plans have used up what they may spend together this month, {{ limit }}. Their runs are blocked until the next month, and their admins are told.',
      'To let them go on, raise freeTenants.monthlyUsd in the configuration and restart; the activities are then retried by their people.',
    ],
  },
})

/** Tells a super-admin that the free tenants have used up their budget. The job `mail.free_pool`. */
export async function mailFreePool(
  ctx: Ctx,
  payload: MailPayload & { userId: string; limitUsd: number },
  signal: AbortSignal,
): Promise<void> {
  const account = await accountById(ctx.sql, payload.userId)
  if (!account || account.status !== 'active' || account.role !== 'super_admin') return
  const mail = mailOf(freePoolMail, { name: shownName(account.name), limit: `$${payload.limitUsd}` })
  await sendEmail(ctx, payload, { to: account.email, tenantId: null, mail }, signal)
}
