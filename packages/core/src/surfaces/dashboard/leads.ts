import { changeLead } from '../../domain/delivery/leads/change.ts'
import { createLead } from '../../domain/delivery/leads/create.ts'
import { getLead, listLeads } from '../../domain/delivery/leads/queries.ts'
import {
  LeadChange,
  LeadDetail,
  LeadItem,
  LeadPage,
  LeadQuery,
  NewLead,
} from '../../domain/delivery/leads/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
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
  access: team,
  body: LeadChange,
  reply: { 200: LeadItem },
  errors: ['CONFLICT'],
  audit: 'lead.change',
}).handle((ctx, { params, body }) => changeLead(ctx, params.leadId, body))
