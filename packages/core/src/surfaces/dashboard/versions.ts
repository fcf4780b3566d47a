import { diffTextVersions, getTextVersion, listTextVersions } from '../../domain/work/content/queries.ts'
import {
  TextDiff,
  TextDiffQuery,
  TextVersionDetail,
  TextVersionPage,
  TextVersionQuery,
  textVersionNumber,
} from '../../domain/work/content/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.versions.list',
  route: 'GET /activities/:activityId/versions',
  summary: 'The versions of a text: who wrote each, and which people have approved',
  access: team,
  query: TextVersionQuery,
  reply: { 200: TextVersionPage },
}).handle((ctx, { params, query }) => listTextVersions(ctx, params.activityId, query))

export const get = endpoint({
  id: 'dashboard.versions.get',
  route: 'GET /activities/:activityId/versions/:version',
  summary: 'One version of a text',
  access: team,
  params: { version: textVersionNumber },
  reply: { 200: TextVersionDetail },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { params }) => getTextVersion(ctx, params.activityId, params.version))

export const diff = endpoint({
  id: 'dashboard.versions.diff',
  route: 'GET /activities/:activityId/diff',
  summary: 'What changed from one version of a text to another, word by word',
  access: team,
  query: TextDiffQuery,
  reply: { 200: TextDiff },
}).handle((ctx, { params, query }) => diffTextVersions(ctx, params.activityId, query))
