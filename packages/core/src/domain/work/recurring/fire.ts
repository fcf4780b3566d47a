import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { dayIn } from '../../../kernel/periods.ts'
import { transact } from '../../../kernel/transact.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import { openActivities } from '../activities/open.ts'
import type { StepType } from '../campaigns/entities.ts'
import { fill } from '../runs/commands/template.ts'
import { RecurringTemplate } from './entities.ts'
import {
  type ActiveTemplate,
  activeTemplates,
  dueTenants,
  isStillQueued,
  noteActivity,
  noteFired,
  takeRecurringSlot,
  zonesOf,
} from './queries.ts'
import { scheduleOf } from './schedule.ts'

/**
 * What the worker does over and over: gives out the recurring work that is due, tenant by tenant, each at its own time of
 * day. Any number of processes may do it; each slot is taken once. After a stand-still only the last slot is caught up.
 * @returns the round; it remembers which slots are all dealt with
 */
export function createRecurringRound(): (ctx: Ctx) => Promise<void> {
  const settled = new Map<string, number>()
  return async (ctx) => {
    const now = ctx.clock.date()
    for (const template of await activeTemplates(ctx.sql)) {
      try {
        // Also those where no one works at the moment: what they miss is not caught up.
        for (const zone of await zonesOf(ctx, template.audience)) {
          const slot = scheduleOf(template.cron, zone).last(now)
          const key = `${template.id} ${template.updatedOn.getTime()} ${zone}`
          if (!slot || slot <= template.activeSince || settled.get(key) === slot.getTime()) continue
          await giveOut(ctx, template, { zone, slot })
          settled.set(key, slot.getTime())
        }
      } catch (error) {
        // It is tried again with the next round; the others must not wait for it.
        ctx.log.error('recurring work could not be given out', { templateId: template.id, error })
      }
    }
  }
}

async function giveOut(ctx: Ctx, template: ActiveTemplate, due: { zone: string; slot: Date }): Promise<void> {
  let given = 0
  for (const tenantId of await dueTenants(ctx, template, due)) {
    if (await transact(ctx, (txn) => giveTo(txn, template.id, tenantId, due))) given += 1
  }
  if (given > 0) await ctx.db.write((tx) => noteFired(tx, template.id, ctx.clock.date()))
  ctx.log.debug('recurring work was given out', { templateId: template.id, ...due, given })
}

/**
 * Takes a slot for one tenant and opens its activity. A tenant that does not work at the moment, or whose agent does not,
 * is left out, and what it has missed is not caught up; so is one whose last piece of the same still waits for its turn.
 */
async function giveTo(
  txn: Transaction,
  templateId: string,
  tenantId: string,
  { zone, slot }: { zone: string; slot: Date },
): Promise<boolean> {
  if (!(await takeRecurringSlot(txn.tx, templateId, tenantId, slot))) return false
  const template = await txn.em.findOne(RecurringTemplate, { id: templateId, status: 'active' })
  const tenant = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  if (!template || (tenant.status !== 'active' && tenant.status !== 'trial')) return false
  const agent = await effectiveAgent(txn, tenantId, template.agentRole)
  if (!agent || agent.status === 'paused' || (await isStillQueued(txn.tx, templateId, tenantId))) return false
  const activityId = txn.newId()
  const own = { company: tenant.name, date: dayIn(slot, zone) }
  await openActivities(txn, [
    {
      id: activityId,
      tenantId,
      title: template.title,
      type: stepTypes[template.agentRole] ?? 'draft',
      agentRole: template.agentRole,
      inputPrompt: fill(template.promptTemplate, { ...own, ...template.variables }),
      wakeReason: 'scheduled',
    },
  ])
  await noteActivity(txn.tx, { templateId, tenantId, activityId })
  return true
}

/** What a role makes when nothing else says it. */
const stepTypes: Readonly<Record<string, StepType>> = {
  researcher: 'research',
  strategist: 'outline',
  brief_writer: 'outline',
  audience_analyst: 'research',
  auditor: 'audit',
  analyst: 'report',
  outreach_writer: 'outreach',
}
