import { z } from 'zod'
import { addAsset } from '../../domain/media/add.ts'
import { changeAsset, deleteAsset } from '../../domain/media/assets.ts'
import { assetContent } from '../../domain/media/content.ts'
import { getAsset, listAssets } from '../../domain/media/queries.ts'
import {
  AssetChange,
  AssetItem,
  AssetPage,
  AssetQuery,
  ContentQuery,
  maxAssetBytes,
  NewAsset,
} from '../../domain/media/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { raw } from '../../gateway/raw.ts'
import { upload } from '../../gateway/upload.ts'
import { assetReply } from '../asset-reply.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'media.assets.list',
  route: 'GET /assets',
  summary: 'The assets of the tenant, newest first; `search` looks into names, alternative texts and tags',
  access: team,
  query: AssetQuery,
  reply: { 200: AssetPage },
}).handle((ctx, { query }) => listAssets(ctx, query))

export const create = upload({
  id: 'media.assets.create',
  route: 'POST /assets',
  summary: 'Add an image, a video or a PDF; what it is goes by its content, and images lose their metadata',
  access: team,
  body: NewAsset,
  files: { file: { maxBytes: maxAssetBytes.video } },
  reply: { 201: AssetItem },
  errors: ['UNPROCESSABLE'],
  audit: 'asset.create',
}).handle((ctx, { body, files }) => addAsset(ctx, body, files))

export const get = endpoint({
  id: 'media.assets.get',
  route: 'GET /assets/:assetId',
  summary: 'The metadata of one asset',
  access: team,
  reply: { 200: AssetItem },
}).handle((ctx, { params }) => getAsset(ctx, params.assetId))

export const change = endpoint({
  id: 'media.assets.change',
  route: 'PATCH /assets/:assetId',
  summary: 'Change name, alternative text or tags; what is not named stays as it is',
  access: team,
  body: AssetChange,
  reply: { 200: AssetItem },
  audit: 'asset.change',
}).handle((ctx, { params, body }) => changeAsset(ctx, params.assetId, body))

export const remove = endpoint({
  id: 'media.assets.delete',
  route: 'DELETE /assets/:assetId',
  summary: 'Delete an asset; its file goes with the last use',
  access: team,
  reply: { 204: z.void() },
  audit: 'asset.delete',
}).handle((ctx, { params }) => deleteAsset(ctx, params.assetId))

export const content = raw({
  id: 'media.assets.content',
  route: 'GET /assets/:assetId/content',
  summary: 'The file itself, in parts by `Range`; raster images are made smaller to the width `w`',
  access: team,
  query: ContentQuery,
  reply: {
    200: '*/*',
    206: '*/*',
    304: '',
    416: 'application/json; charset=utf-8',
  },
}).handle(async (ctx, { params, query, header, request }) => {
  const file = await assetContent(ctx, params.assetId, query.w)
  return assetReply({ method: request().method, header }, file, 'private, no-cache')
})
