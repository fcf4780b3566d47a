import { changeLead } from '../../domain/delivery/leads/change.ts'
import { createLead } from '../../domain/delivery/leads/create.ts'
import { exportLeads, importErrors } from '../../domain/delivery/leads/export.ts'
import { getImport } from '../../domain/delivery/leads/import/queries.ts'
import {
  ImportPreview,
  ImportReceipt,
  ImportState,
  maxImportBytes,
  NewImport,
} from '../../domain/delivery/leads/import/schemas.ts'
import { previewImport, startImport as start } from '../../domain/delivery/leads/import/start.ts'
import { undoImport as undo } from '../../domain/delivery/leads/import/undo.ts'
import { getLead, listLeads } from '../../domain/delivery/leads/queries.ts'
import {
  LeadChange,
  LeadDetail,
  LeadFilter,
  LeadItem,
  LeadPage,
  LeadQuery,
  NewLead,
} from '../../domain/delivery/leads/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { type RawReply, raw } from '../../gateway/raw.ts'
import { upload } from '../../gateway/upload.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.leads.list',
  route: 'GET /leads',
  summary: 'The leads of the tenant, newest first; `search` finds beginnings of words of names and addresses',
  access: team,
  query: LeadQuery,
  reply: { 200: LeadPage },
}).handle((ctx, { query }) => listLeads(ctx, query))

export const create = endpoint({
  id: 'dashboard.leads.create',
  route: 'POST /leads',
  summary: 'Add a lead; one that is there already by e-mail address or phone number is named in `details`',
  access: team,
  body: NewLead,
  reply: { 201: LeadItem },
  errors: ['CONFLICT'],
  audit: 'lead.create',
}).handle((ctx, { body }) => createLead(ctx, body))

export const get = endpoint({
  id: 'dashboard.leads.get',
  route: 'GET /leads/:leadId',
  summary: 'One lead with its timeline',
  access: team,
  reply: { 200: LeadDetail },
}).handle((ctx, { params }) => getLead(ctx, params.leadId))

export const change = endpoint({
  id: 'dashboard.leads.change',
  route: 'PATCH /leads/:leadId',
  summary: 'Change a lead; what is not named stays as it is, null empties a field',
  description:
    '`consent` notes what the lead has said to a person about getting messages. Who has unsubscribed cannot be signed up again by it (422).',
  access: team,
  body: LeadChange,
  reply: { 200: LeadItem },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'lead.change',
}).handle((ctx, { params, body }) => changeLead(ctx, params.leadId, body))

const csv = (name: string, body: RawReply['body']): RawReply => ({
  headers: {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'cache-control': 'private, no-store',
  },
  body: body ?? null,
})

export const exportFile = raw({
  id: 'dashboard.leads.export_file',
  route: 'GET /leads/export',
  summary:
    'The leads as a CSV file, the oldest first, with the filters of the list; an import takes it as it is',
  access: team,
  query: LeadFilter,
  reply: { 200: 'text/csv' },
}).handle((ctx, { query }) => csv('leads', exportLeads(ctx, query)))

export const startImport = upload({
  id: 'dashboard.leads.start_import',
  route: 'POST /leads/import',
  summary: 'Import a CSV file of at most 10 MB; its columns are named as the fields of a lead',
  access: team,
  body: NewImport,
  files: { file: { maxBytes: maxImportBytes } },
  reply: { 202: ImportReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'lead.import',
}).handle((ctx, { body, files }) => start(ctx, body, files))

export const preview = upload({
  id: 'dashboard.leads.preview',
  route: 'POST /leads/import/preview',
  summary: 'What an import would make of a file: columns, first leads, faults by line; nothing is stored',
  access: team,
  files: { file: { maxBytes: maxImportBytes } },
  reply: { 200: ImportPreview },
  audit: 'lead.preview_import',
}).handle((ctx, { files }) => previewImport(ctx, files))

export const importState = endpoint({
  id: 'dashboard.leads.import_state',
  route: 'GET /leads/imports/:importId',
  summary: 'How far an import has come, with its first 100 errors by line',
  access: team,
  reply: { 200: ImportState },
}).handle((ctx, { params }) => getImport(ctx, params.importId))

export const errors = raw({
  id: 'dashboard.leads.errors',
  route: 'GET /leads/imports/:importId/errors',
  summary:
    'All lines that became no leads as a CSV file, with line numbers and reasons, to correct and import again',
  access: team,
  reply: { 200: 'text/csv' },
}).handle(async (ctx, { params }) => csv('lead-import-errors', await importErrors(ctx, params.importId)))

export const undoImport = endpoint({
  id: 'dashboard.leads.undo_import',
  route: 'POST /leads/imports/:importId/undo',
  summary: 'Remove the leads that an import has made and no one has changed since',
  access: team,
  reply: { 202: ImportState },
  errors: ['CONFLICT'],
  audit: 'lead.undo_import',
}).handle((ctx, { params }) => undo(ctx, params.importId))
