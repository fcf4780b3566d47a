import { create } from 'content-disposition'
import { openPdf } from '../../domain/insight/reports/detail.ts'
import { openAddress } from '../../domain/media/addresses.ts'
import { publicAccess } from '../../gateway/access.ts'
import { raw } from '../../gateway/raw.ts'
import { assetReply } from '../asset-reply.ts'

export const report = raw({
  id: 'files.report',
  route: 'GET /files/reports/:token',
  summary: 'The PDF of a report, for a link that is at most an hour old',
  access: publicAccess,
  secretPath: true,
  reply: { 200: 'application/pdf' },
  errors: ['INVALID_TOKEN', 'TOKEN_EXPIRED'],
}).handle(async (ctx, { params }) => {
  const { bytes, fileName } = await openPdf(ctx, params.token)
  return {
    body: bytes,
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': create(fileName, { type: 'inline' }),
      'cache-control': 'private, no-store',
    },
  }
})

export const media = raw({
  id: 'files.media',
  route: 'GET /files/media/:token/:name',
  summary:
    'An image or video, for those who were given its address: platforms for an hour, readers of mails as long as it is there',
  description:
    'In parts by `Range`. What is wrong with an address is not told: each that is not good is answered with 404.',
  access: publicAccess,
  secretPath: true,
  reply: {
    200: '*/*',
    206: '*/*',
    304: '',
    416: 'application/json; charset=utf-8',
  },
}).handle(async (ctx, { params, header, request }) => {
  const { isLasting, ...file } = await openAddress(ctx, params)
  const cacheControl = isLasting ? 'public, max-age=86400' : 'private, no-store'
  return assetReply({ method: request().method, header }, file, cacheControl)
})
