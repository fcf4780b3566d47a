import { answer } from '../../domain/language/answer.ts'
import { LanguageAnswer, LanguageQuery } from '../../domain/language/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { staff } from './access.ts'

export const nl = endpoint({
  id: 'cli.nl',
  route: 'POST /nl',
  summary:
    'Understand a request in plain words: data, a command to confirm, or a question back. Changes nothing',
  access: staff,
  // Each request may call a model, which has a cost.
  limit: { requests: 20, perSeconds: 60, by: 'user' },
  body: LanguageQuery,
  onlyReads: true,
  reply: { 200: LanguageAnswer },
}).handle((ctx, { body }) => answer(ctx, body))
