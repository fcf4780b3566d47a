import { serve } from '../threads/serve.ts'
import { scanPage } from './scan-page.ts'
import { scanSitemap } from './scan-sitemap.ts'

const tasks = { page: scanPage, sitemap: scanSitemap }
export type CrawlTasks = typeof tasks

// Started as a thread of its own, by the name of its file.
serve(tasks)
