import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'

/** Reads a website: two at a time over all processes. */
export const crawlJob = defineJob('knowledge.crawl', z.object({ crawlId: z.string() }), {
  cap: 2,
  maxAttempts: 3,
})

/** One job a crawl. */
export const crawlToRun = ({ id, tenantId }: { id: string; tenantId: string }, runAt?: Date) => ({
  tenantId,
  payload: { crawlId: id },
  uniqueKey: `${crawlJob.kind}:${id}`,
  runAt,
})

/** Starts the crawls that are due by their plans. */
export const recrawlJob = defineJob('knowledge.recrawl', noPayload, { cron: '23 * * * *', maxAttempts: 1 })
