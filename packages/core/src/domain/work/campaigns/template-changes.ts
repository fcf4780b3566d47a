import { LockMode } from '@mikro-orm/core'
import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { saveVersion } from '../../../kernel/versions/save.ts'
import { ActivityTemplate, type DeliverableType, type TemplateStep } from './entities.ts'
import type { NewTemplate, TemplateChange, TemplateDetail } from './template-schemas.ts'
import { checkSteps } from './template-steps.ts'
import { type TemplateData, type TemplateRow, templateSubject, versionOf } from './templates.ts'

/**
 * One template with its steps, as it is or as a version of it was. Serves `GET /admin/v1/activity-templates/:templateId`.
 * @throws DomainError `NOT_FOUND` for a template or a version that does not exist
 */
export function getTemplate(ctx: Ctx, id: string, version?: number): Promise<TemplateDetail> {
  return transact(ctx, async (txn) => {
    const template = await txn.em.findOne(ActivityTemplate, { id })
    if (!template) throw notFound('activity template')
    if (version === undefined || version === template.version) return toDetail(template)
    return { ...toDetail({ ...template, ...(await versionOf(txn, id, version)) }), version }
  })
}

/**
 * Adds a way to make a type of piece. Serves `POST /admin/v1/activity-templates`.
 * @throws DomainError `VALIDATION_ERROR`, see `checkSteps`
 */
export function createTemplate(ctx: Ctx, input: NewTemplate): Promise<TemplateDetail> {
  return transact(ctx, async (txn) => {
    await checkSteps(txn, input.steps)
    const now = txn.clock.date()
    const steps = inOrder(input.steps)
    if (input.setAsDefault) await clearDefault(txn, input.deliverableType)
    const template = txn.em.create(ActivityTemplate, {
      id: txn.newId(),
      name: input.name,
      deliverableType: input.deliverableType,
      status: 'active',
      version: 1,
      isDefault: input.setAsDefault,
      steps,
      createdBy: actorName(txn),
      createdOn: now,
      updatedOn: now,
    })
    await saveVersion(txn, { ...templateSubject(template.id), after: { ...dataOf(template) } })
    const { deliverableType, isDefault } = template
    record(txn, template.id, null, { ...dataOf(template), deliverableType, isDefault })
    return toDetail(template)
  })
}

/**
 * Changes a template: the state before stays as a version, and campaigns that were planned with it go on with that one.
 * Serves `PATCH /admin/v1/activity-templates/:templateId`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR`; `CONFLICT` when the default of a type would be active no more
 */
export function changeTemplate(ctx: Ctx, id: string, changes: TemplateChange): Promise<TemplateDetail> {
  return transact(ctx, async (txn) => {
    const template = await lockTemplate(txn, id)
    const before = dataOf(template)
    const { name = before.name, status = before.status } = changes
    if (template.isDefault && status !== 'active')
      throw new DomainError('CONFLICT', 'This is the default of its type: make another one the default first')
    if (changes.steps) await checkSteps(txn, changes.steps)
    const steps = changes.steps ? inOrder(changes.steps) : before.steps
    const version = await saveVersion(txn, {
      ...templateSubject(id),
      before: { data: { ...before }, since: template.updatedOn },
      after: { name, status, steps },
    })
    if (version === template.version) return toDetail(template)
    Object.assign(template, { name, status, steps, version, updatedOn: txn.clock.date() })
    record(txn, id, { ...before, version: version - 1 }, { ...dataOf(template), version })
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
  return transact(ctx, async (txn) => {
    const known = await txn.em.findOne(ActivityTemplate, { id }, { disableIdentityMap: true })
    if (!known) throw notFound('activity template')
    const previousDefaultId = await clearDefault(txn, known.deliverableType)
    const template = await lockTemplate(txn, id)
    if (template.status !== 'active')
      throw new DomainError(
        'UNPROCESSABLE',
        `The template is ${template.status}; only an active one can be the default`,
      )
    template.isDefault = true
    record(txn, id, { previousDefaultId }, { isDefault: true })
    return { templateId: id, isDefault: true as const, previousDefaultId }
  })
}

async function lockTemplate(txn: Transaction, id: string): Promise<TemplateRow> {
  const template = await txn.em.findOne(ActivityTemplate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!template) throw notFound('activity template')
  return template
}

/** Locks all templates of a type, so that two new defaults come one after the other. @returns the default up to now */
async function clearDefault(txn: Transaction, deliverableType: DeliverableType): Promise<string | null> {
  const all = await txn.em.find(
    ActivityTemplate,
    { deliverableType },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  )
  const previous = all.find(({ isDefault }) => isDefault)
  if (previous) previous.isDefault = false
  await txn.em.flush()
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

function record(txn: Transaction, id: string, before: unknown, after: unknown): void {
  txn.audit({ tenantId: null, resourceType: 'activity_template', resourceId: id, before, after })
}

function toDetail(template: TemplateRow): TemplateDetail {
  const { id, name, deliverableType, status, version, isDefault, updatedOn, createdBy, createdOn } = template
  const steps = inOrder(template.steps)
  const head = { id, name, deliverableType, status, stepCount: steps.length, version, isDefault, updatedOn }
  return { ...head, steps, createdBy, createdOn }
}
