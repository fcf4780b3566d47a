import { openPdf } from '../../domain/reports/link.ts'
import { publicAccess } from '../../gateway/access.ts'
import { raw } from '../../gateway/raw.ts'

export const report = raw({
  id: 'files.report',
  route: 'GET /files/reports/:token',
  summary: 'The PDF of a report, for whoever holds a link to it that is not older than an hour',
  access: publicAccess,
  secretPath: true,
  reply: { 200: 'application/pdf' },
  errors: ['INVALID_TOKEN', 'NOT_FOUND', 'TOKEN_EXPIRED'],
}).handle(async (ctx, { params }) => {
  const { bytes, fileName } = await openPdf(ctx, params.token)
  return {
    body: bytes,
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${fileName}"`,
      'cache-control': 'private, no-store',
    },
  }
})
