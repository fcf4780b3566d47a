import { z } from 'zod'
import { changeForm, createForm, deleteForm } from '../../domain/delivery/leads/forms/forms.ts'
import { getForm, listForms } from '../../domain/delivery/leads/forms/queries.ts'
import {
  FormChange,
  FormItem,
  FormPage,
  FormQuery,
  NewForm,
} from '../../domain/delivery/leads/forms/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins } from './access.ts'

export const list = endpoint({
  id: 'dashboard.lead_forms.list',
  route: 'GET /lead-forms',
  summary: 'The forms on web sites whose submissions become leads, newest first',
  access: admins,
  query: FormQuery,
  reply: { 200: FormPage },
}).handle((ctx, { query }) => listForms(ctx, query))

export const create = endpoint({
  id: 'dashboard.lead_forms.create',
  route: 'POST /lead-forms',
  summary: 'Add a form; pages send it to its `url`',
  access: admins,
  body: NewForm,
  reply: { 201: FormItem },
  errors: ['UNPROCESSABLE'],
  audit: 'lead_form.create',
}).handle((ctx, { body }) => createForm(ctx, body))

export const get = endpoint({
  id: 'dashboard.lead_forms.get',
  route: 'GET /lead-forms/:formId',
  summary: 'One form with how often it was sent',
  access: admins,
  reply: { 200: FormItem },
}).handle((ctx, { params }) => getForm(ctx, params.formId))

export const change = endpoint({
  id: 'dashboard.lead_forms.change',
  route: 'PATCH /lead-forms/:formId',
  summary: 'Change, close or open a form; what is not named stays as it is',
  access: admins,
  body: FormChange,
  reply: { 200: FormItem },
  audit: 'lead_form.change',
}).handle((ctx, { params, body }) => changeForm(ctx, params.formId, body))

export const remove = endpoint({
  id: 'dashboard.lead_forms.delete',
  route: 'DELETE /lead-forms/:formId',
  summary: 'Delete a form; its leads stay',
  access: admins,
  reply: { 204: z.void() },
  audit: 'lead_form.delete',
}).handle((ctx, { params }) => deleteForm(ctx, params.formId))
