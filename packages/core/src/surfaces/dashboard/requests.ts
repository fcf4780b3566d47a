import { createBlogRequest, createSocialRequest } from '../../domain/content/requests/create.ts'
import { listBlogRequests, listSocialRequests } from '../../domain/content/requests/queries.ts'
import {
  BlogRequest,
  BlogRequestPage,
  BlogRequestQuery,
  NewBlogRequest,
  NewSocialRequest,
  SocialRequest,
  SocialRequestPage,
  SocialRequestQuery,
} from '../../domain/content/requests/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const listBlog = endpoint({
  id: 'dashboard.blog_requests.list',
  route: 'GET /blog-requests',
  summary: 'Blog posts that were asked for, newest first',
  access: team,
  query: BlogRequestQuery,
  reply: { 200: BlogRequestPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listBlogRequests(ctx, query))

export const createBlog = endpoint({
  id: 'dashboard.blog_requests.create',
  route: 'POST /blog-requests',
  summary: 'Ask for a blog post: what an admin asks for is made at once, a member’s wish waits for approval',
  access: team,
  body: NewBlogRequest,
  reply: { 201: BlogRequest },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'blog_request.create',
}).handle((ctx, { body }) => createBlogRequest(ctx, body))

export const listSocial = endpoint({
  id: 'dashboard.social_requests.list',
  route: 'GET /social-requests',
  summary: 'Social posts that were asked for, newest first',
  access: team,
  query: SocialRequestQuery,
  reply: { 200: SocialRequestPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listSocialRequests(ctx, query))

export const createSocial = endpoint({
  id: 'dashboard.social_requests.create',
  route: 'POST /social-requests',
  summary: 'Ask for a post on each of several networks, now or from an instant on',
  access: team,
  body: NewSocialRequest,
  reply: { 201: SocialRequest },
  errors: ['VALIDATION_ERROR'],
  audit: 'social_request.create',
}).handle((ctx, { body }) => createSocialRequest(ctx, body))
