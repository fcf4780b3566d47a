import { delegate } from '../../gateway/delegate.ts'
import * as dashboard from '../dashboard/knowledge-base.ts'
import { everybody, team } from './access.ts'

export const list = delegate(dashboard.list, {
  id: 'tenant.knowledge.list',
  route: 'GET /knowledge/datasets',
  access: everybody,
})

export const get = delegate(dashboard.get, {
  id: 'tenant.knowledge.get',
  route: 'GET /knowledge/datasets/:datasetId',
  access: everybody,
})

export const upload = delegate(dashboard.upload, {
  id: 'tenant.knowledge.upload',
  route: 'POST /knowledge/datasets/:datasetId/files/upload',
  access: team,
})

export const remove = delegate(dashboard.remove, {
  id: 'tenant.knowledge.delete',
  route: 'DELETE /knowledge/datasets/:datasetId/files/:fileId',
  access: team,
})

export const change = delegate(dashboard.change, {
  id: 'tenant.knowledge.change',
  route: 'PATCH /knowledge/datasets/:datasetId/files/:fileId',
  access: team,
})

export const progress = delegate(dashboard.progress, {
  id: 'tenant.knowledge.progress',
  route: 'GET /knowledge/datasets/:datasetId/files/:fileId/status',
  access: everybody,
})

export const configure = delegate(dashboard.configure, {
  id: 'tenant.knowledge.configure',
  route: 'PATCH /knowledge/datasets/:datasetId/config',
  access: team,
})

export const reIndex = delegate(dashboard.reIndex, {
  id: 'tenant.knowledge.re_index',
  route: 'POST /knowledge/datasets/:datasetId/re-index',
  access: team,
})

export const search = delegate(dashboard.search, {
  id: 'tenant.knowledge.search',
  route: 'POST /knowledge/search',
  access: everybody,
})

export const crawlSettings = delegate(dashboard.crawlSettings, {
  id: 'tenant.knowledge.crawl_settings',
  route: 'GET /knowledge/datasets/:datasetId/crawl',
  access: everybody,
})

export const crawl = delegate(dashboard.crawl, {
  id: 'tenant.knowledge.crawl',
  route: 'POST /knowledge/datasets/:datasetId/crawl',
  access: team,
})

export const crawlStatus = delegate(dashboard.crawlStatus, {
  id: 'tenant.knowledge.crawl_status',
  route: 'GET /knowledge/datasets/:datasetId/crawl/:crawlJobId/status',
  access: everybody,
})

export const crawlPages = delegate(dashboard.crawlPages, {
  id: 'tenant.knowledge.crawl_pages',
  route: 'GET /knowledge/datasets/:datasetId/crawl/:crawlJobId/pages',
  access: everybody,
})
