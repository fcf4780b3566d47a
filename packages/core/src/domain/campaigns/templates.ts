import type { InferEntity } from '@mikro-orm/core'
import type { EntityManager } from '../../platform/database/database.ts'
import type { Command } from '../context.ts'
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
export async function seedTemplates(cmd: Command): Promise<void> {
  const existing = await cmd.em.find(ActivityTemplate, { isDefault: true })
  const covered = new Set(existing.map((template) => template.deliverableType))
  const now = cmd.clock.date()
  for (const deliverableType of deliverableTypes) {
    if (covered.has(deliverableType)) continue
    cmd.em.create(ActivityTemplate, {
      id: cmd.newId(),
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

/** @throws Error when nobody has seeded the templates; `copydesk doctor --repair` does */
export async function defaultTemplate(em: EntityManager, type: DeliverableType): Promise<TemplateRow> {
  const found = await em.findOne(ActivityTemplate, { deliverableType: type, isDefault: true })
  if (found) return found
  throw new Error(`No default activity template for ${type}. Run \`copydesk doctor --repair\`.`)
}

/** The template that a deliverable names, else the default of its type. */
export async function templateFor(
  em: EntityManager,
  deliverable: Pick<InferEntity<typeof Deliverable>, 'templateId' | 'type'>,
): Promise<TemplateRow> {
  const { templateId, type } = deliverable
  const named = templateId ? await em.findOne(ActivityTemplate, { id: templateId }) : null
  return named ?? defaultTemplate(em, type)
}
