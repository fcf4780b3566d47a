import {
  brandHistory,
  brandVersion,
  putBrandContext,
  restoreBrandContext,
} from '../../domain/work/brand/context.ts'
import { getBrandContext } from '../../domain/work/brand/queries.ts'
import { BrandContext, BrandContextState, OfTenant } from '../../domain/work/brand/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { VersionListQuery, VersionQuery } from '../../kernel/versions/schemas.ts'
import { oneVersion, restoredVersion, versionList } from '../version-endpoints.ts'
import { everybody, team } from './access.ts'

export const get = endpoint({
  id: 'tenant.context.get',
  route: 'GET /context',
  summary: 'The brand and its voice, which agents get and texts are checked against',
  access: everybody,
  query: OfTenant,
  reply: { 200: BrandContextState },
}).handle((ctx) => getBrandContext(ctx))

export const put = endpoint({
  id: 'tenant.context.put',
  route: 'PUT /context',
  summary: 'Say again what the brand is, as a whole; what is left out is empty afterwards',
  access: team,
  body: BrandContext,
  reply: { 200: BrandContextState },
  audit: 'context.put',
}).handle((ctx, { body }) => putBrandContext(ctx, body))

export const versions = endpoint({
  id: 'tenant.context.versions',
  route: 'GET /context/versions',
  summary: 'Everything that was ever said of the brand, newest first',
  access: everybody,
  ...versionList,
  query: VersionListQuery.extend(OfTenant.shape),
}).handle((ctx, { query }) => brandHistory(ctx, query))

export const version = endpoint({
  id: 'tenant.context.version',
  route: 'GET /context/versions/:version',
  summary: 'What was said of the brand at one time, and what changed since another',
  access: everybody,
  ...oneVersion,
  query: VersionQuery.extend(OfTenant.shape),
}).handle((ctx, { params, query }) => brandVersion(ctx, params.version, query))

export const restore = endpoint({
  id: 'tenant.context.restore',
  route: 'POST /context/versions/:version/restore',
  summary: 'Put back what was said of the brand before',
  access: team,
  ...restoredVersion,
  reply: { 200: BrandContextState },
  errors: ['VALIDATION_ERROR'],
  audit: 'context.restore',
}).handle((ctx, { params }) => restoreBrandContext(ctx, params.version))
