import { listBlogsForOperators } from '../../domain/work/content/blog/queries.ts'
import { BlogRowPage, BlogRowQuery } from '../../domain/work/content/blog/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.blogs.list',
  route: 'GET /blogs',
  summary: 'Blog posts of all tenants, newest first',
  access: operators,
  query: BlogRowQuery,
  reply: { 200: BlogRowPage },
}).handle((ctx, { query }) => listBlogsForOperators(ctx, query))
