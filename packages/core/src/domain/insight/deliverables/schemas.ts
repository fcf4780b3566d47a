import { z } from 'zod'
import { isoDate, isoMonth, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { deliverableTypes } from '../../work/campaigns/entities.ts'
import { progresses } from '../../work/campaigns/policy.ts'

export const DeliverableQuery = pageQuery.extend({
  'filter.tenantId': ulid.optional(),
  'filter.deliverableType': z.enum(deliverableTypes).optional(),
  'filter.status': z.enum(progresses).optional(),
  /** Of the tenant's zone. */
  'filter.periodMonth': isoMonth.optional(),
})
export type DeliverableQuery = z.output<typeof DeliverableQuery>

export const DeliverableRow = z.object({
  id: ulid,
  tenantId: ulid,
  tenantName: z.string(),
  deliverableType: z.enum(deliverableTypes),
  targetCount: z.int(),
  completedCount: z.int(),
  periodMonth: z.string(),
  status: z.enum(progresses),
  createdOn: isoDate,
})
export type DeliverableRow = z.output<typeof DeliverableRow>
export const DeliverablePage = page(DeliverableRow)
export type DeliverablePage = z.output<typeof DeliverablePage>
