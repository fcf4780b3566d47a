import {
  crawledPages,
  crawlProgress,
  crawlSettings as readSettings,
} from '../../domain/knowledge/crawl/queries.ts'
import {
  CrawledPagePage,
  CrawledPageQuery,
  CrawlProgress,
  CrawlReceipt,
  CrawlSettings,
  NewCrawl,
} from '../../domain/knowledge/crawl/schemas.ts'
import { startCrawl } from '../../domain/knowledge/crawl/start.ts'
import { configureDataset } from '../../domain/knowledge/datasets/config.ts'
import { changeFile, deleteFile, reindex } from '../../domain/knowledge/datasets/files.ts'
import { fileProgress, getDataset, listDatasets } from '../../domain/knowledge/datasets/queries.ts'
import {
  DatasetConfig,
  DatasetDetail,
  DatasetList,
  FileChange,
  FileDeletion,
  FileProgress,
  KnowledgeFileItem,
  maxBatchBytes,
  maxFileBytes,
  maxFiles,
  ReindexReceipt,
  UploadOptions,
  UploadReceipt,
} from '../../domain/knowledge/datasets/schemas.ts'
import { uploadFiles } from '../../domain/knowledge/datasets/upload.ts'
import { KnowledgeResults, KnowledgeSearch } from '../../domain/knowledge/search/schemas.ts'
import { searchKnowledge } from '../../domain/knowledge/search/search.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { upload as uploadEndpoint } from '../../gateway/upload.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.knowledge_base.list',
  route: 'GET /knowledge-base/datasets',
  summary: 'The datasets of the tenant',
  access: team,
  reply: { 200: DatasetList },
}).handle((ctx) => listDatasets(ctx))

export const get = endpoint({
  id: 'dashboard.knowledge_base.get',
  route: 'GET /knowledge-base/datasets/:datasetId',
  summary: 'One dataset with its settings and its newest files',
  access: team,
  reply: { 200: DatasetDetail },
}).handle((ctx, { params }) => getDataset(ctx, params.datasetId))

export const upload = uploadEndpoint({
  id: 'dashboard.knowledge_base.upload',
  route: 'POST /knowledge-base/datasets/:datasetId/files/upload',
  summary: 'Add documents to a dataset; what they are goes by their content',
  access: team,
  body: UploadOptions,
  files: { files: { maxBytes: maxFileBytes, maxFiles, maxTotalBytes: maxBatchBytes, keepTooLarge: true } },
  reply: { 202: UploadReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'knowledge.upload',
}).handle((ctx, { params, body, files }) => uploadFiles(ctx, params.datasetId, body, files))

export const remove = endpoint({
  id: 'dashboard.knowledge_base.delete',
  route: 'DELETE /knowledge-base/datasets/:datasetId/files/:fileId',
  summary: 'Delete a file for good; it is out of search at once',
  access: team,
  reply: { 200: FileDeletion },
  audit: 'knowledge.file.delete',
}).handle((ctx, { params }) => deleteFile(ctx, params.datasetId, params.fileId))

export const change = endpoint({
  id: 'dashboard.knowledge_base.change',
  route: 'PATCH /knowledge-base/datasets/:datasetId/files/:fileId',
  summary: 'Take a file out of search or back into it, or have it ingested again',
  access: team,
  body: FileChange,
  reply: { 200: KnowledgeFileItem },
  audit: 'knowledge.file.change',
}).handle((ctx, { params, body }) => changeFile(ctx, params.datasetId, params.fileId, body))

export const progress = endpoint({
  id: 'dashboard.knowledge_base.progress',
  route: 'GET /knowledge-base/datasets/:datasetId/files/:fileId/status',
  summary: 'How far the ingestion of a file is',
  access: team,
  reply: { 200: FileProgress },
}).handle((ctx, { params }) => fileProgress(ctx, params.datasetId, params.fileId))

export const configure = endpoint({
  id: 'dashboard.knowledge_base.configure',
  route: 'PATCH /knowledge-base/datasets/:datasetId/config',
  summary: 'Change a dataset; how files are cut counts from their next ingestion',
  access: team,
  body: DatasetConfig,
  reply: { 200: DatasetDetail },
  audit: 'knowledge.configure',
}).handle((ctx, { params, body }) => configureDataset(ctx, params.datasetId, body))

export const reIndex = endpoint({
  id: 'dashboard.knowledge_base.re_index',
  route: 'POST /knowledge-base/datasets/:datasetId/re-index',
  summary: 'Have all files of a dataset ingested again; search goes on with what there is',
  access: team,
  reply: { 202: ReindexReceipt },
  audit: 'knowledge.re_index',
}).handle((ctx, { params }) => reindex(ctx, params.datasetId))

export const search = endpoint({
  id: 'dashboard.knowledge_base.search',
  route: 'POST /knowledge-base/search',
  summary: 'Search datasets by words, by meaning, or by both',
  access: team,
  body: KnowledgeSearch,
  reply: { 200: KnowledgeResults },
  errors: ['NOT_FOUND'],
}).handle((ctx, { body }) => searchKnowledge(ctx, body))

export const crawlSettings = endpoint({
  id: 'dashboard.knowledge_base.crawl_settings',
  route: 'GET /knowledge-base/datasets/:datasetId/crawl',
  summary: 'Which website a dataset is read from, and how its last crawl went',
  access: team,
  reply: { 200: CrawlSettings },
}).handle((ctx, { params }) => readSettings(ctx, params.datasetId))

export const crawl = endpoint({
  id: 'dashboard.knowledge_base.crawl',
  route: 'POST /knowledge-base/datasets/:datasetId/crawl',
  summary: 'Read a website into a dataset, now or later, once or by a schedule',
  access: team,
  body: NewCrawl,
  reply: { 202: CrawlReceipt },
  errors: ['CONFLICT'],
  audit: 'knowledge.crawl',
}).handle((ctx, { params, body }) => startCrawl(ctx, params.datasetId, body))

export const crawlStatus = endpoint({
  id: 'dashboard.knowledge_base.crawl_status',
  route: 'GET /knowledge-base/datasets/:datasetId/crawl/:crawlJobId/status',
  summary: 'How far a crawl is',
  access: team,
  reply: { 200: CrawlProgress },
}).handle((ctx, { params }) => crawlProgress(ctx, params.datasetId, params.crawlJobId))

export const crawlPages = endpoint({
  id: 'dashboard.knowledge_base.crawl_pages',
  route: 'GET /knowledge-base/datasets/:datasetId/crawl/:crawlJobId/pages',
  summary: 'What came of each page of a crawl, and why some were not indexed',
  access: team,
  query: CrawledPageQuery,
  reply: { 200: CrawledPagePage },
}).handle((ctx, { params, query }) => crawledPages(ctx, params.datasetId, params.crawlJobId, query))
