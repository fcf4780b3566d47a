import { createSocialRequest } from '../../domain/work/content/requests/create.ts'
import { listSocialRequests } from '../../domain/work/content/requests/queries.ts'
import {
  NewSocialRequest,
  SocialRequest,
  SocialRequestPage,
  SocialRequestQuery,
} from '../../domain/work/content/requests/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.social_requests.list',
  route: 'GET /social-requests',
  summary: 'Social posts that were asked for, newest first',
  access: team,
  query: SocialRequestQuery,
  reply: { 200: SocialRequestPage },
}).handle((ctx, { query }) => listSocialRequests(ctx, query))

export const create = endpoint({
  id: 'dashboard.social_requests.create',
  route: 'POST /social-requests',
  summary: 'Ask for a post on each of several networks, now or from an instant on',
  access: team,
  body: NewSocialRequest,
  reply: { 201: SocialRequest },
  audit: 'social_request.create',
}).handle((ctx, { body }) => createSocialRequest(ctx, body))
