import { LockMode } from '@mikro-orm/core'
import { actorName } from '../actor.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { keepVersion } from '../versions/keep.ts'
import { ActivityTemplate, type DeliverableType, type TemplateStep } from './entities.ts'
import type { NewTemplate, TemplateChange, TemplateDetail } from './template-schemas.ts'
import { checkSteps } from './template-steps.ts'
import { type TemplateData, type TemplateRow, templateSubject, versionOf } from './templates.ts'

/**
 * One template with its steps, as it is or as a version of it was. Serves `GET /admin/v1/activity-templates/:templateId`.
 * @throws DomainError `NOT_FOUND` for a template or a version that does not exist
 */
export function getTemplate(ctx: Ctx, id: string, version?: number): Promise<TemplateDetail> {
  return command(ctx, async (cmd) => {
    const template = await cmd.em.findOne(ActivityTemplate, { id })
    if (!template) throw notFound('activity template')
    if (version === undefined || version === template.version) return toDetail(template)
    return { ...toDetail({ ...template, ...(await versionOf(cmd, id, version)) }), version }
  })
}

/**
 * Adds a way to make a type of piece. Serves `POST /admin/v1/activity-templates`.
 * @throws DomainError `VALIDATION_ERROR`, see `checkSteps`
 */
export function createTemplate(ctx: Ctx, input: NewTemplate): Promise<TemplateDetail> {
  return command(ctx, async (cmd) => {
    await checkSteps(cmd, input.steps)
    const now = cmd.clock.date()
    const steps = inOrder(input.steps)
    if (input.setAsDefault) await clearDefault(cmd, input.deliverableType)
    const template = cmd.em.create(ActivityTemplate, {
      id: cmd.newId(),
      name: input.name,
      deliverableType: input.deliverableType,
      status: 'active',
      version: 1,
      isDefault: input.setAsDefault,
      steps,
      createdBy: actorName(cmd),
      createdOn: now,
      updatedOn: now,
    })
    await keepVersion(cmd, { ...templateSubject(template.id), after: { ...dataOf(template) } })
    const { deliverableType, isDefault } = template
    record(cmd, template.id, null, { ...dataOf(template), deliverableType, isDefault })
    return toDetail(template)
  })
}

/**
 * Changes a template: the state before stays as a version, and campaigns that were planned with it go on with that one.
 * Serves `PATCH /admin/v1/activity-templates/:templateId`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR`; `CONFLICT` when the default of a type would be active no more
 */
export function changeTemplate(ctx: Ctx, id: string, changes: TemplateChange): Promise<TemplateDetail> {
  return command(ctx, async (cmd) => {
    const template = await lockTemplate(cmd, id)
    const before = dataOf(template)
    const { name = before.name, status = before.status } = changes
    if (template.isDefault && status !== 'active')
      throw new DomainError('CONFLICT', 'This is the default of its type: make another one the default first')
    if (changes.steps) await checkSteps(cmd, changes.steps)
    const steps = changes.steps ? inOrder(changes.steps) : before.steps
    const version = await keepVersion(cmd, {
      ...templateSubject(id),
      before: { data: { ...before }, since: template.updatedOn },
      after: { name, status, steps },
    })
    if (version === template.version) return toDetail(template)
    Object.assign(template, { name, status, steps, version, updatedOn: cmd.clock.date() })
    record(cmd, id, { ...before, version: version - 1 }, { ...dataOf(template), version })
    return toDetail(template)
  })
}

/**
 * Makes a template the one that campaigns are planned with from now on when they name none.
 * Serves `POST /admin/v1/activity-templates/:templateId/set-default`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for a template that is not active
 */
export function setDefaultTemplate(
  ctx: Ctx,
  id: string,
): Promise<{ templateId: string; isDefault: true; previousDefaultId: string | null }> {
  return command(ctx, async (cmd) => {
    const known = await cmd.em.findOne(ActivityTemplate, { id }, { disableIdentityMap: true })
    if (!known) throw notFound('activity template')
    const previousDefaultId = await clearDefault(cmd, known.deliverableType)
    const template = await lockTemplate(cmd, id)
    if (template.status !== 'active')
      throw new DomainError(
        'UNPROCESSABLE',
        `The template is ${template.status}; only an active one can be the default`,
      )
    template.isDefault = true
    record(cmd, id, { previousDefaultId }, { isDefault: true })
    return { templateId: id, isDefault: true as const, previousDefaultId }
  })
}

async function lockTemplate(cmd: Command, id: string): Promise<TemplateRow> {
  const template = await cmd.em.findOne(ActivityTemplate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!template) throw notFound('activity template')
  return template
}

/** Locks all templates of a type, so that two new defaults come one after the other. @returns the default up to now */
async function clearDefault(cmd: Command, deliverableType: DeliverableType): Promise<string | null> {
  const all = await cmd.em.find(
    ActivityTemplate,
    { deliverableType },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  )
  const previous = all.find(({ isDefault }) => isDefault)
  if (previous) previous.isDefault = false
  await cmd.em.flush()
  return previous?.id ?? null
}

const inOrder = (steps: readonly TemplateStep[]): TemplateStep[] =>
  steps.map(withoutGaps).toSorted((a, b) => a.stepNumber - b.stepNumber)

/** Without fields that were not given, as it comes back from the database. */
function withoutGaps({ approvalType, dependsOn, estimatedCostUsd, ...step }: TemplateStep): TemplateStep {
  return {
    ...step,
    ...(approvalType !== undefined && { approvalType }),
    ...(dependsOn !== undefined && { dependsOn: [...new Set(dependsOn)] }),
    ...(estimatedCostUsd !== undefined && { estimatedCostUsd }),
  }
}

function dataOf({ name, status, steps }: TemplateRow): TemplateData {
  return { name, status, steps }
}

function record(cmd: Command, id: string, before: unknown, after: unknown): void {
  cmd.audit({ tenantId: null, resourceType: 'activity_template', resourceId: id, before, after })
}

function toDetail(template: TemplateRow): TemplateDetail {
  const { id, name, deliverableType, status, version, isDefault, updatedOn, createdBy, createdOn } = template
  const steps = inOrder(template.steps)
  const head = { id, name, deliverableType, status, stepCount: steps.length, version, isDefault, updatedOn }
  return { ...head, steps, createdBy, createdOn }
}
