import { changeBlogRequest } from '../../domain/work/content/requests/change.ts'
import { getForOperators, listBlogRequestsForOperators } from '../../domain/work/content/requests/queries.ts'
import {
  BlogRequestChange,
  BlogRequestDetail,
  BlogRequestRowPage,
  BlogRequestRowQuery,
} from '../../domain/work/content/requests/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.blog_requests.list',
  route: 'GET /blog-requests',
  summary: 'Blog posts that tenants have asked for, newest first',
  access: operators,
  query: BlogRequestRowQuery,
  reply: { 200: BlogRequestRowPage },
}).handle((ctx, { query }) => listBlogRequestsForOperators(ctx, query))

export const get = endpoint({
  id: 'admin.blog_requests.get',
  route: 'GET /blog-requests/:requestId',
  summary: 'One blog request with its brief, who was to make it and what is made',
  access: operators,
  reply: { 200: BlogRequestDetail },
}).handle((ctx, { params }) => getForOperators(ctx, params.requestId))

export const change = endpoint({
  id: 'admin.blog_requests.change',
  route: 'PATCH /blog-requests/:requestId',
  summary: 'Decide on a blog request, say who makes it, keep a note',
  access: operators,
  body: BlogRequestChange,
  reply: { 200: BlogRequestDetail },
  errors: ['UNPROCESSABLE'],
  audit: 'blog_request.change',
}).handle((ctx, { params, body }) => changeBlogRequest(ctx, params.requestId, body))
