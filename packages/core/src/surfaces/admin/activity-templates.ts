import { listTemplates } from '../../domain/work/campaigns/queries.ts'
import {
  changeTemplate,
  createTemplate,
  getTemplate,
  setDefaultTemplate,
} from '../../domain/work/campaigns/template-changes.ts'
import {
  DefaultReceipt,
  NewTemplate,
  TemplateChange,
  TemplateDetail,
  TemplateList,
  TemplateQuery,
  TemplateVersionQuery,
} from '../../domain/work/campaigns/template-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.activity_templates.list',
  route: 'GET /activity-templates',
  summary: 'The activity templates of each deliverable type',
  access: operators,
  query: TemplateQuery,
  reply: { 200: TemplateList },
}).handle((ctx, { query }) => listTemplates(ctx, query))

export const create = endpoint({
  id: 'admin.activity_templates.create',
  route: 'POST /activity-templates',
  summary: 'Add an activity template for a deliverable type',
  access: operators,
  body: NewTemplate,
  reply: { 201: TemplateDetail },
  audit: 'activity_template.created',
}).handle((ctx, { body }) => createTemplate(ctx, body))

export const get = endpoint({
  id: 'admin.activity_templates.get',
  route: 'GET /activity-templates/:templateId',
  summary: 'One template with its steps, as it is or as a version of it was',
  access: operators,
  query: TemplateVersionQuery,
  reply: { 200: TemplateDetail },
}).handle((ctx, { params, query }) => getTemplate(ctx, params.templateId, query.version))

export const change = endpoint({
  id: 'admin.activity_templates.change',
  route: 'PATCH /activity-templates/:templateId',
  summary: 'Change a template; the state before stays as a version',
  access: operators,
  body: TemplateChange,
  reply: { 200: TemplateDetail },
  errors: ['CONFLICT'],
  audit: 'activity_template.updated',
}).handle((ctx, { params, body }) => changeTemplate(ctx, params.templateId, body))

export const setDefault = endpoint({
  id: 'admin.activity_templates.set_default',
  route: 'POST /activity-templates/:templateId/set-default',
  summary: 'Plan with this template where a campaign names none',
  access: operators,
  reply: { 200: DefaultReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'activity_template.default_set',
}).handle((ctx, { params }) => setDefaultTemplate(ctx, params.templateId))
