import { z } from 'zod'
import { previewEmailTemplate } from '../../domain/people/mail/templates/preview.ts'
import { getEmailTemplate, listEmailTemplates } from '../../domain/people/mail/templates/queries.ts'
import {
  EmailPreview,
  EmailPreviewReply,
  EmailTemplateChanges,
  EmailTemplateDetail,
  EmailTemplateList,
  EmailTemplateQuery,
  NewEmailTemplate,
} from '../../domain/people/mail/templates/schemas.ts'
import {
  changeEmailTemplate,
  createEmailTemplate,
  deleteEmailTemplate,
  emailTemplateHistory,
  emailTemplateVersion,
  restoreEmailTemplate,
} from '../../domain/people/mail/templates/templates.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { oneVersion, restoredVersion, versionList } from '../version-endpoints.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.email_templates.list',
  route: 'GET /email-templates',
  summary: 'The e-mail templates of the installation, and with a tenant its own',
  access: operators,
  query: EmailTemplateQuery,
  reply: { 200: EmailTemplateList },
}).handle((ctx, { query }) => listEmailTemplates(ctx, query))

export const get = endpoint({
  id: 'admin.email_templates.get',
  route: 'GET /email-templates/:templateId',
  summary: 'One e-mail template with its texts and variables',
  access: operators,
  reply: { 200: EmailTemplateDetail },
}).handle((ctx, { params }) => getEmailTemplate(ctx, params.templateId))

export const create = endpoint({
  id: 'admin.email_templates.create',
  route: 'POST /email-templates',
  summary: 'Add an e-mail template, or with a tenant what it has in place of one',
  access: operators,
  body: NewEmailTemplate,
  reply: { 201: EmailTemplateDetail },
  errors: ['NOT_FOUND', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'email_template.create',
}).handle((ctx, { body }) => createEmailTemplate(ctx, body))

export const change = endpoint({
  id: 'admin.email_templates.change',
  route: 'PATCH /email-templates/:templateId',
  summary: 'Change what an e-mail template says, how it goes out, or whether it is used',
  access: operators,
  body: EmailTemplateChanges,
  reply: { 200: EmailTemplateDetail },
  errors: ['UNPROCESSABLE'],
  audit: 'email_template.change',
}).handle((ctx, { params, body }) => changeEmailTemplate(ctx, params.templateId, body))

export const remove = endpoint({
  id: 'admin.email_templates.delete',
  route: 'DELETE /email-templates/:templateId',
  summary: 'Delete an e-mail template with its versions',
  access: operators,
  reply: { 200: z.object({ deleted: z.literal(true) }) },
  errors: ['CONFLICT'],
  audit: 'email_template.delete',
}).handle((ctx, { params }) => deleteEmailTemplate(ctx, params.templateId))

export const preview = endpoint({
  id: 'admin.email_templates.preview',
  route: 'POST /email-templates/:templateId/preview',
  summary: 'Send an e-mail template with sample variables to an address',
  access: operators,
  body: EmailPreview,
  reply: { 200: EmailPreviewReply },
  errors: ['UNPROCESSABLE'],
  audit: 'email_template.preview',
}).handle((ctx, { params, body }) => previewEmailTemplate(ctx, params.templateId, body))

export const versions = endpoint({
  id: 'admin.email_templates.versions',
  route: 'GET /email-templates/:templateId/versions',
  summary: 'Every state that an e-mail template has had, newest first',
  access: operators,
  ...versionList,
}).handle((ctx, { params, query }) => emailTemplateHistory(ctx, params.templateId, query))

export const version = endpoint({
  id: 'admin.email_templates.version',
  route: 'GET /email-templates/:templateId/versions/:version',
  summary: 'One of these states, and what changed since another',
  access: operators,
  ...oneVersion,
}).handle((ctx, { params, query }) => emailTemplateVersion(ctx, params.templateId, params.version, query))

export const restore = endpoint({
  id: 'admin.email_templates.restore',
  route: 'POST /email-templates/:templateId/versions/:version/restore',
  summary: 'Put a former state of an e-mail template back, as a new version',
  access: operators,
  ...restoredVersion,
  reply: { 200: EmailTemplateDetail },
  errors: ['UNPROCESSABLE'],
  audit: 'email_template.restore',
}).handle((ctx, { params }) => restoreEmailTemplate(ctx, params.templateId, params.version))
