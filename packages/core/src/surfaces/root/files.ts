import { create } from 'content-disposition'
import { openPdf } from '../../domain/insight/reports/detail.ts'
import { publicAccess } from '../../gateway/access.ts'
import { raw } from '../../gateway/raw.ts'

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
