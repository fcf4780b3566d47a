import { cancelMailing, pauseMailing, resumeMailing } from '../../domain/delivery/mailings/change.ts'
import { createMailing } from '../../domain/delivery/mailings/create.ts'
import { getMailing, listMailings } from '../../domain/delivery/mailings/queries.ts'
import {
  MailingItem,
  MailingPage,
  MailingQuery,
  NewMailing,
  TestMail,
} from '../../domain/delivery/mailings/schemas.ts'
import { sendTestMail } from '../../domain/delivery/mailings/test-mail.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.mailings.list',
  route: 'GET /mailings',
  summary: 'Newsletters on their way to leads, and those that have gone out, newest first',
  access: team,
  query: MailingQuery,
  reply: { 200: MailingPage },
}).handle((ctx, { query }) => listMailings(ctx, query))

export const create = endpoint({
  id: 'dashboard.mailings.create',
  route: 'POST /mailings',
  summary: 'Send an approved newsletter to the leads, at once or at an instant',
  description:
    'Each lead of the audience gets it once, with a link to unsubscribe, at most a hundred in a minute. `{{firstName}}`, `{{lastName}}` and `{{company}}` in the text stand for the lead’s. Nothing goes out once the text has changed.',
  access: admins,
  body: NewMailing,
  reply: { 201: MailingItem },
  errors: ['CONFLICT', 'UNPROCESSABLE', 'NOT_FOUND'],
  audit: 'mailing.create',
}).handle((ctx, { body }) => createMailing(ctx, body))

export const get = endpoint({
  id: 'dashboard.mailings.get',
  route: 'GET /mailings/:mailingId',
  summary: 'One newsletter on its way to leads, and how far it is',
  access: team,
  reply: { 200: MailingItem },
}).handle((ctx, { params }) => getMailing(ctx, params.mailingId))

export const pause = endpoint({
  id: 'dashboard.mailings.pause',
  route: 'POST /mailings/:mailingId/pause',
  summary: 'Stop a mailing where it is',
  access: admins,
  reply: { 200: MailingItem },
  errors: ['CONFLICT'],
  audit: 'mailing.pause',
}).handle((ctx, { params }) => pauseMailing(ctx, params.mailingId))

export const resume = endpoint({
  id: 'dashboard.mailings.resume',
  route: 'POST /mailings/:mailingId/resume',
  summary: 'Go on with a mailing that is paused',
  access: admins,
  reply: { 200: MailingItem },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'mailing.resume',
}).handle((ctx, { params }) => resumeMailing(ctx, params.mailingId))

export const cancel = endpoint({
  id: 'dashboard.mailings.cancel',
  route: 'POST /mailings/:mailingId/cancel',
  summary: 'End a mailing: who has not got it does not get it',
  access: admins,
  reply: { 200: MailingItem },
  errors: ['CONFLICT'],
  audit: 'mailing.cancel',
}).handle((ctx, { params }) => cancelMailing(ctx, params.mailingId))

export const test = endpoint({
  id: 'dashboard.mailings.test',
  route: 'POST /activities/:activityId/test-mail',
  limit: { requests: 20, perSeconds: 900, by: 'user' },
  summary: 'Mail the newest text of a newsletter to oneself, as leads would get it',
  access: team,
  reply: { 202: TestMail },
  errors: ['UNPROCESSABLE'],
  audit: 'mailing.test',
}).handle((ctx, { params }) => sendTestMail(ctx, params.activityId))
