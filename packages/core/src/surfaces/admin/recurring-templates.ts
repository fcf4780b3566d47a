import { z } from 'zod'
import { archiveRecurring, changeRecurring, createRecurring } from '../../domain/recurring/change.ts'
import { listRecurring } from '../../domain/recurring/queries.ts'
import {
  NewRecurring,
  RecurringChange,
  RecurringItem,
  RecurringPage,
  RecurringQuery,
} from '../../domain/recurring/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.recurring_templates.list',
  route: 'GET /recurring-templates',
  summary: 'Work that is given again and again, newest first',
  access: operators,
  query: RecurringQuery,
  reply: { 200: RecurringPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listRecurring(ctx, query))

export const create = endpoint({
  id: 'admin.recurring_templates.create',
  route: 'POST /recurring-templates',
  summary: 'Give work again and again, by a cron expression in the zone of each tenant',
  access: operators,
  body: NewRecurring,
  reply: { 201: RecurringItem },
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  audit: 'recurring_template.created',
}).handle((ctx, { body }) => createRecurring(ctx, body))

export const change = endpoint({
  id: 'admin.recurring_templates.change',
  route: 'PATCH /recurring-templates/:templateId',
  summary: 'Change, pause or resume what recurs; nothing is caught up',
  access: operators,
  body: RecurringChange,
  reply: { 200: RecurringItem },
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
  audit: 'recurring_template.updated',
}).handle((ctx, { params, body }) => changeRecurring(ctx, params.templateId, body))

export const archive = endpoint({
  id: 'admin.recurring_templates.archive',
  route: 'DELETE /recurring-templates/:templateId',
  summary: 'End what recurs; work that it has begun goes on',
  access: operators,
  reply: { 204: z.void() },
  errors: ['NOT_FOUND'],
  audit: 'recurring_template.archived',
}).handle((ctx, { params }) => archiveRecurring(ctx, params.templateId))
