import { z } from 'zod'
import { maxTerminalBytes, TerminalUpload } from '../../domain/knowledge/datasets/schemas.ts'
import { uploadFromTerminal } from '../../domain/knowledge/ingestion/upload-stream.ts'
import { delegate } from '../../gateway/delegate.ts'
import { eventStream } from '../../gateway/stream.ts'
import * as dm from '../dm/kb.ts'
import { staff } from './access.ts'

export const list = delegate(dm.list, { id: 'cli.kb.list', route: 'GET /kb', access: staff })

export const upload = eventStream({
  id: 'cli.kb.upload',
  route: 'POST /kb/upload',
  summary: 'Add a document to a dataset of a tenant, and follow its ingestion to the end',
  access: staff,
  body: TerminalUpload,
  files: { file: { maxBytes: maxTerminalBytes, keepTooLarge: true } },
  events: {
    upload_started: z.object({ fileName: z.string(), fileSize: z.int(), datasetId: z.string() }),
    upload_complete: z.object({ ragFileId: z.string(), status: z.literal('pending') }),
    ingestion_progress: z.object({
      ragFileId: z.string(),
      stage: z.enum(['parsing', 'embedding']),
      progressPct: z.number(),
    }),
    ingestion_complete: z.object({
      ragFileId: z.string(),
      chunksIndexed: z.int(),
      status: z.literal('indexed'),
    }),
    ingestion_error: z.object({ ragFileId: z.string().nullable(), error: z.string(), stage: z.string() }),
  },
  audit: 'knowledge.upload',
  open: (ctx, { body, files }, channel) => uploadFromTerminal(ctx, body, files, channel),
})
