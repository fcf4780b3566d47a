import { getPost, listPosts } from '../../domain/work/content/blog/queries.ts'
import { dmApprove, dmReject } from '../../domain/work/content/blog/review.ts'
import {
  BlogPostDetail,
  BlogPostList,
  BlogPostQuery,
  PostApproval,
  PostApproved,
  PostRejected,
  PostRejection,
} from '../../domain/work/content/blog/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.blog.list',
  route: 'GET /blog',
  summary: 'Blog posts of one tenant, newest first',
  access: reviewers,
  query: BlogPostQuery,
  reply: { 200: BlogPostList },
}).handle((ctx, { query }) => listPosts(ctx, query))

export const get = endpoint({
  id: 'dm.blog.get',
  route: 'GET /blog/:id',
  summary: 'One blog post with its Markdown',
  access: reviewers,
  reply: { 200: BlogPostDetail },
}).handle((ctx, { params }) => getPost(ctx, params.id))

export const approve = endpoint({
  id: 'dm.blog.approve',
  route: 'POST /blog/:id/dm-approve',
  summary: 'Let a post go on to the client; contentHash names the version that was seen',
  access: reviewers,
  query: PostApproval,
  reply: { 200: PostApproved },
  errors: ['BAD_REQUEST', 'CONFLICT'],
  audit: 'blog.dm_approve',
}).handle((ctx, { params, query }) => dmApprove(ctx, params.id, query))

export const reject = endpoint({
  id: 'dm.blog.reject',
  route: 'POST /blog/:id/dm-reject',
  summary: 'Send a post back to its writer with what is wrong',
  access: reviewers,
  body: PostRejection,
  reply: { 200: PostRejected },
  errors: ['BAD_REQUEST', 'CONFLICT'],
  audit: 'blog.dm_reject',
}).handle((ctx, { params, body }) => dmReject(ctx, params.id, body))
