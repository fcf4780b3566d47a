import { listForOperators } from '../../domain/content/blog/queries.ts'
import { BlogRowPage, BlogRowQuery } from '../../domain/content/blog/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.blogs.list',
  route: 'GET /blogs',
  summary: 'Blog posts of all tenants, newest first',
  access: operators,
  query: BlogRowQuery,
  reply: { 200: BlogRowPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listForOperators(ctx, query))
