import {
  brandHistory,
  brandVersion,
  putBrandContext,
  restoreBrandContext,
} from '../../domain/brand/context.ts'
import { getBrandContext } from '../../domain/brand/queries.ts'
import { BrandContext, BrandContextState, OfTenant } from '../../domain/brand/schemas.ts'
import {
  VersionDetail,
  VersionListQuery,
  versionNumber,
  VersionPage,
  VersionQuery,
} from '../../domain/versions/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { everybody, team } from './access.ts'

export const get = endpoint({
  id: 'tenant.context.get',
  route: 'GET /context',
  summary: 'What the brand is and how it speaks: what agents are told, and what texts are held against',
  access: everybody,
  query: OfTenant,
  reply: { 200: BrandContextState },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx) => getBrandContext(ctx))

export const put = endpoint({
  id: 'tenant.context.put',
  route: 'PUT /context',
  summary: 'Say anew what the brand is, as a whole; what is left out is empty afterwards',
  access: team,
  body: BrandContext,
  reply: { 200: BrandContextState },
  errors: ['VALIDATION_ERROR'],
  audit: 'context.put',
}).handle((ctx, { body }) => putBrandContext(ctx, body))

export const versions = endpoint({
  id: 'tenant.context.versions',
  route: 'GET /context/versions',
  summary: 'Everything that was ever said of the brand, newest first',
  access: everybody,
  query: VersionListQuery.extend(OfTenant.shape),
  reply: { 200: VersionPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => brandHistory(ctx, query))

export const version = endpoint({
  id: 'tenant.context.version',
  route: 'GET /context/versions/:version',
  summary: 'What was said of the brand at one time, and what changed since another',
  access: everybody,
  params: { version: versionNumber },
  query: VersionQuery.extend(OfTenant.shape),
  reply: { 200: VersionDetail },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, query }) => brandVersion(ctx, params.version, query))

export const restore = endpoint({
  id: 'tenant.context.restore',
  route: 'POST /context/versions/:version/restore',
  summary: 'Put back what was said of the brand before',
  access: team,
  params: { version: versionNumber },
  reply: { 200: BrandContextState },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'context.restore',
}).handle((ctx, { params }) => restoreBrandContext(ctx, params.version))
