import { createBlogRequest } from '../../domain/work/content/requests/create.ts'
import { listBlogRequests } from '../../domain/work/content/requests/queries.ts'
import {
  BlogRequest,
  BlogRequestPage,
  BlogRequestQuery,
  NewBlogRequest,
} from '../../domain/work/content/requests/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.blog_requests.list',
  route: 'GET /blog-requests',
  summary: 'Blog posts that were asked for, newest first',
  access: team,
  query: BlogRequestQuery,
  reply: { 200: BlogRequestPage },
}).handle((ctx, { query }) => listBlogRequests(ctx, query))

export const create = endpoint({
  id: 'dashboard.blog_requests.create',
  route: 'POST /blog-requests',
  summary: 'Request a blog post: an admin’s request starts at once, a member’s waits for approval',
  access: team,
  body: NewBlogRequest,
  reply: { 201: BlogRequest },
  errors: ['NOT_FOUND'],
  audit: 'blog_request.create',
}).handle((ctx, { body }) => createBlogRequest(ctx, body))
