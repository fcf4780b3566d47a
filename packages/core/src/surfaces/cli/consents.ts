import {
  answerConsent,
  getConsent,
  requestConsent,
  useConsent,
} from '../../domain/accounts/consents/consents.ts'
import { listConsents } from '../../domain/accounts/consents/queries.ts'
import {
  ConsentAnswer,
  ConsentItem,
  ConsentPage,
  ConsentQuery,
  ConsentRequest,
  ConsentUse,
} from '../../domain/accounts/consents/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { people, staff } from './access.ts'

export const list = endpoint({
  id: 'cli.consents.list',
  route: 'GET /consents',
  summary: 'What assistants want to do in your name, and you have not declined',
  access: staff,
  query: ConsentQuery,
  reply: { 200: ConsentPage },
}).handle((ctx, { query }) => listConsents(ctx, query))

export const request = endpoint({
  id: 'cli.consents.request',
  route: 'POST /consents',
  summary:
    'Ask your person to agree to an act of an assistant; the same act is the same question for ten minutes',
  access: staff,
  body: ConsentRequest,
  reply: { 200: ConsentItem },
  errors: ['UNPROCESSABLE'],
  audit: 'consent.request',
}).handle((ctx, { body }) => requestConsent(ctx, body))

export const get = endpoint({
  id: 'cli.consents.get',
  route: 'GET /consents/:id',
  summary: 'One operation that an assistant wants to run in your name, as it was shown',
  access: staff,
  reply: { 200: ConsentItem },
}).handle((ctx, { params }) => getConsent(ctx, params.id))

export const answer = endpoint({
  id: 'cli.consents.answer',
  route: 'POST /consents/:id/answer',
  summary: 'Agree to an act of an assistant, or not; with a login, never with a key',
  access: people,
  body: ConsentAnswer,
  reply: { 200: ConsentItem },
  errors: ['CONFLICT'],
  audit: 'consent.answer',
}).handle((ctx, { params, body }) => answerConsent(ctx, params.id, body))

export const use = endpoint({
  id: 'cli.consents.use',
  route: 'POST /consents/:id/use',
  summary: 'Use up a consent, once, just before the act is carried out',
  access: staff,
  body: ConsentUse,
  reply: { 200: ConsentItem },
  errors: ['CONFLICT'],
  audit: 'consent.use',
}).handle((ctx, { params, body }) => useConsent(ctx, params.id, body))
