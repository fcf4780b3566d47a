import { z } from 'zod'
import { archiveRecurring, changeRecurring, createRecurring } from '../../domain/work/recurring/change.ts'
import { listRecurring } from '../../domain/work/recurring/queries.ts'
import {
  NewRecurring,
  RecurringChange,
  RecurringItem,
  RecurringPage,
  RecurringQuery,
} from '../../domain/work/recurring/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.recurring_templates.list',
  route: 'GET /recurring-templates',
  summary: 'Recurring templates, newest first',
  access: operators,
  query: RecurringQuery,
  reply: { 200: RecurringPage },
}).handle((ctx, { query }) => listRecurring(ctx, query))

export const create = endpoint({
  id: 'admin.recurring_templates.create',
  route: 'POST /recurring-templates',
  summary: 'Create activities repeatedly, by a cron expression in the time zone of each tenant',
  access: operators,
  body: NewRecurring,
  reply: { 201: RecurringItem },
  errors: ['NOT_FOUND'],
  audit: 'recurring_template.created',
}).handle((ctx, { body }) => createRecurring(ctx, body))

export const change = endpoint({
  id: 'admin.recurring_templates.change',
  route: 'PATCH /recurring-templates/:templateId',
  summary: 'Change, pause or resume what recurs; nothing is caught up',
  access: operators,
  body: RecurringChange,
  reply: { 200: RecurringItem },
  errors: ['CONFLICT'],
  audit: 'recurring_template.updated',
}).handle((ctx, { params, body }) => changeRecurring(ctx, params.templateId, body))

export const archive = endpoint({
  id: 'admin.recurring_templates.archive',
  route: 'DELETE /recurring-templates/:templateId',
  summary: 'Archive a recurring template; existing activities continue',
  access: operators,
  reply: { 204: z.void() },
  audit: 'recurring_template.archived',
}).handle((ctx, { params }) => archiveRecurring(ctx, params.templateId))
