import { z } from 'zod'
import { addDocument, deleteDocument, readDocument } from '../../domain/knowledge/documents/documents.ts'
import { getDocument, listDocuments } from '../../domain/knowledge/documents/queries.ts'
import {
  DocumentItem,
  DocumentPage,
  DocumentQuery,
  maxDocumentBytes,
  NewDocument,
} from '../../domain/knowledge/documents/schemas.ts'
import { OfTenant } from '../../domain/work/brand/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { raw } from '../../gateway/raw.ts'
import { upload } from '../../gateway/upload.ts'
import { attachment } from '../attachment.ts'
import { everybody, team } from './access.ts'

export const list = endpoint({
  id: 'tenant.documents.list',
  route: 'GET /documents',
  summary: 'The documents of the tenant, newest first',
  access: everybody,
  query: DocumentQuery,
  reply: { 200: DocumentPage },
}).handle((ctx, { query }) => listDocuments(ctx, query))

export const create = upload({
  id: 'tenant.documents.create',
  route: 'POST /documents',
  summary: 'Add a text, an image, a PDF or an office document; what it is goes by its content',
  access: team,
  body: NewDocument,
  files: { file: { maxBytes: maxDocumentBytes } },
  reply: { 201: DocumentItem },
  errors: ['UNPROCESSABLE'],
  audit: 'document.create',
}).handle((ctx, { body, files }) => addDocument(ctx, body, files))

export const get = endpoint({
  id: 'tenant.documents.get',
  route: 'GET /documents/:documentId',
  summary: 'The metadata of one document',
  access: everybody,
  query: OfTenant,
  reply: { 200: DocumentItem },
}).handle((ctx, { params }) => getDocument(ctx, params.documentId))

export const content = raw({
  id: 'tenant.documents.content',
  route: 'GET /documents/:documentId/content',
  summary: 'The file itself, as an attachment',
  access: everybody,
  query: OfTenant,
  reply: { 200: 'application/octet-stream' },
}).handle(async (ctx, { params }) => attachment(await readDocument(ctx, params.documentId)))

export const remove = endpoint({
  id: 'tenant.documents.delete',
  route: 'DELETE /documents/:documentId',
  summary: 'Delete a document with its file',
  access: team,
  reply: { 204: z.void() },
  audit: 'document.delete',
}).handle((ctx, { params }) => deleteDocument(ctx, params.documentId))
