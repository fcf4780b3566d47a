import type { InferEntity } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { versionData } from '../../../kernel/versions/save.ts'
import type { EntityManager } from '../../../platform/database/database.ts'
import type { TemplateStep } from './entities.ts'
import { ActivityTemplate, type Deliverable, type DeliverableType, deliverableTypes } from './entities.ts'

export type TemplateRow = InferEntity<typeof ActivityTemplate>

const review = { approvalRequired: true, approvalType: 'content_review' } as const
const noReview = { approvalRequired: false } as const

/** How each type of piece is made until a super-admin changes it: research and plans run through, text is reviewed. */
const startingTemplates: Record<DeliverableType, { name: string; steps: TemplateStep[] }> = {
  blog_post: {
    name: 'Blog post: research, then draft',
    steps: [
      { stepNumber: 1, title: 'Research', agentRole: 'researcher', type: 'research', ...noReview },
      { stepNumber: 2, title: 'Draft', agentRole: 'blog_writer', type: 'draft', dependsOn: [1], ...review },
    ],
  },
  social_post: {
    name: 'Social post: draft',
    steps: [{ stepNumber: 1, title: 'Draft', agentRole: 'social_writer', type: 'draft', ...review }],
  },
  gbp_post: {
    name: 'Business profile post: draft',
    steps: [{ stepNumber: 1, title: 'Draft', agentRole: 'social_writer', type: 'draft', ...review }],
  },
  ad_copy: {
    name: 'Ad copy: angles, then draft',
    steps: [
      { stepNumber: 1, title: 'Angles', agentRole: 'strategist', type: 'outline', ...noReview },
      { stepNumber: 2, title: 'Draft', agentRole: 'ads_writer', type: 'draft', dependsOn: [1], ...review },
    ],
  },
  email_newsletter: {
    name: 'E-mail newsletter: outline, then draft',
    steps: [
      { stepNumber: 1, title: 'Outline', agentRole: 'email_writer', type: 'outline', ...noReview },
      { stepNumber: 2, title: 'Draft', agentRole: 'email_writer', type: 'draft', dependsOn: [1], ...review },
    ],
  },
  backlink: {
    name: 'Backlink: prospects, then outreach',
    steps: [
      { stepNumber: 1, title: 'Prospects', agentRole: 'researcher', type: 'research', ...noReview },
      {
        stepNumber: 2,
        title: 'Outreach e-mail',
        agentRole: 'outreach_writer',
        type: 'outreach',
        dependsOn: [1],
        ...review,
      },
    ],
  },
  website_audit: {
    name: 'Website audit',
    steps: [{ stepNumber: 1, title: 'Audit', agentRole: 'auditor', type: 'audit', ...review }],
  },
  performance_report: {
    name: 'Performance report',
    steps: [{ stepNumber: 1, title: 'Report', agentRole: 'analyst', type: 'report', ...review }],
  },
}

/** Creates the default template of each deliverable type that has none; what is there stays as it is. */
export async function seedTemplates(txn: Transaction): Promise<void> {
  const existing = await txn.em.find(ActivityTemplate, { isDefault: true })
  const covered = new Set(existing.map((template) => template.deliverableType))
  const now = txn.clock.date()
  for (const deliverableType of deliverableTypes) {
    if (covered.has(deliverableType)) continue
    txn.em.create(ActivityTemplate, {
      id: txn.newId(),
      ...startingTemplates[deliverableType],
      deliverableType,
      status: 'active',
      version: 1,
      isDefault: true,
      createdBy: 'Copydesk',
      createdOn: now,
      updatedOn: now,
    })
  }
}

/** @throws Error when no one has seeded the templates; `copydesk doctor --repair` does */
async function defaultTemplate(em: EntityManager, type: DeliverableType): Promise<TemplateRow> {
  const found = await em.findOne(ActivityTemplate, { deliverableType: type, isDefault: true })
  if (found) return found
  throw new Error(`No default activity template for ${type}. Run \`copydesk doctor --repair\`.`)
}

/** The step that makes the finished piece of a type, by the default template of the type. */
export async function finalStep(txn: Transaction, type: DeliverableType): Promise<TemplateStep> {
  const { id, steps } = await defaultTemplate(txn.em, type)
  const last = steps.toSorted((a, b) => a.stepNumber - b.stepNumber).at(-1)
  if (!last) throw new Error(`The template ${id} has no steps`)
  return last
}

/**
 * The steps of a deliverable's pieces: from the template that it names, else the default of its type. Its first planning
 * settles which version that is, for all its periods.
 */
export async function stepsFor(
  txn: Transaction,
  deliverable: InferEntity<typeof Deliverable>,
): Promise<readonly TemplateStep[]> {
  const { templateId, type, plannedTemplateId, plannedVersion } = deliverable
  const known = plannedTemplateId ?? templateId
  const named = known ? await txn.em.findOne(ActivityTemplate, { id: known }) : null
  if (plannedTemplateId !== null && plannedVersion !== null && named?.version !== plannedVersion)
    return (await versionOf(txn, plannedTemplateId, plannedVersion)).steps
  const template = named ?? (await defaultTemplate(txn.em, type))
  deliverable.plannedTemplateId = template.id
  deliverable.plannedVersion = template.version
  return template.steps
}

/** The part of a template that has versions. */
export type TemplateData = Pick<TemplateRow, 'name' | 'status' | 'steps'>

export const templateSubject = (id: string) =>
  ({ kind: 'activity_template', subjectId: id, tenantId: null }) as const

/** A template as it was. @throws DomainError `NOT_FOUND` */
export async function versionOf(txn: Transaction, id: string, version: number): Promise<TemplateData> {
  return (await versionData(txn, templateSubject(id), version)) as unknown as TemplateData
}
