import { z } from 'zod'
import { isoDate, queryInt, ulid } from '../../../platform/wire.ts'
import { approvalTypes } from '../approvals/entities.ts'
import { deliverableTypes, stepTypes, templateStatuses } from './entities.ts'

const name = z.string().trim().min(1).max(200)
const stepNumber = z.int().min(1).max(100)

const Step = z.object({
  stepNumber,
  title: name,
  agentRole: z.string().min(1).max(100),
  type: z.enum(stepTypes),
  approvalRequired: z.boolean(),
  approvalType: z.enum(approvalTypes).optional(),
  /** Steps that must be done first. */
  dependsOn: z.array(stepNumber).max(50).optional(),
  estimatedCostUsd: z.number().min(0).max(1_000_000).optional(),
})
const NewStep = Step.extend({ approvalRequired: z.boolean().default(false) })
const steps = z.array(NewStep).min(1).max(50)

export const TemplateItem = z.object({
  id: ulid,
  name: z.string(),
  deliverableType: z.enum(deliverableTypes),
  status: z.enum(templateStatuses),
  stepCount: z.int(),
  version: z.int(),
  isDefault: z.boolean(),
  updatedOn: isoDate,
})
export type TemplateItem = z.output<typeof TemplateItem>
export const TemplateList = z.object({ data: z.array(TemplateItem) })

export const TemplateDetail = TemplateItem.extend({
  steps: z.array(Step),
  createdBy: z.string(),
  createdOn: isoDate,
})
export type TemplateDetail = z.output<typeof TemplateDetail>

export const TemplateQuery = z.object({
  'filter.deliverableType': z.enum(deliverableTypes).optional(),
  'filter.status': z.enum(templateStatuses).optional(),
})
export type TemplateQuery = z.output<typeof TemplateQuery>

/** An older version of a template. */
export const TemplateVersionQuery = z.object({ version: queryInt(1, 1_000_000_000).optional() })

export const NewTemplate = z.object({
  name,
  deliverableType: z.enum(deliverableTypes),
  steps,
  setAsDefault: z.boolean().default(false),
})
export type NewTemplate = z.output<typeof NewTemplate>

export const TemplateChange = z.object({
  name: name.optional(),
  steps: steps.optional(),
  status: z.enum(templateStatuses).optional(),
})
export type TemplateChange = z.output<typeof TemplateChange>

export const DefaultReceipt = z.object({
  templateId: ulid,
  isDefault: z.literal(true),
  previousDefaultId: ulid.nullable(),
})
