import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'

/** Fetches the figures of one campaign from its platform. */
export const syncMetricsJob = defineJob('ads.metrics', z.object({ mappingId: z.string() }), {
  group: 'ads',
  cap: 4,
  maxAttempts: 8,
})

/** Fetches ad groups, keywords and negative keywords of one campaign. */
export const syncKeywordsJob = defineJob('ads.keywords', z.object({ mappingId: z.string() }), {
  group: 'ads',
  cap: 4,
  maxAttempts: 8,
})

/** Fetches what people have searched for in some days. */
export const syncTermsJob = defineJob(
  'ads.terms',
  z.object({ mappingId: z.string(), from: z.string(), to: z.string() }),
  { group: 'ads', cap: 4, maxAttempts: 8 },
)

/** Sorts the search terms of one campaign that no one has sorted. */
export const classifyTermsJob = defineJob('ads.classify', z.object({ campaignId: z.string() }), { cap: 2 })

/** One turn of an approved change set. What is not due is left alone, so that a job too many does nothing. */
export const applyChangesJob = defineJob('ads.apply', z.object({ changeSetId: z.string() }), { cap: 4 })

/** Finds change sets whose job was lost, every five minutes. */
export const sweepChangesJob = defineJob('ads.sweep', noPayload, { cron: '1-59/5 * * * *' })

/** Looks for recommendations for one campaign. */
export const adviseJob = defineJob('ads.advise', z.object({ mappingId: z.string() }), { cap: 2 })

const CheckPages = z.object({
  mappingId: z.string(),
  /** What failed a while ago and is asked for once more; empty at first. */
  seen: z.array(z.object({ url: z.string(), words: z.string(), at: z.string() })),
})
export type CheckPages = z.output<typeof CheckPages>

/** Opens the pages that the ads of one campaign lead to. */
export const checkPagesJob = defineJob('ads.pages', CheckPages, { group: 'ads', cap: 4, maxAttempts: 8 })

/** Asks for recommendations on every campaign that runs, once a week. */
export const weeklyAdviceJob = defineJob('ads.weekly', noPayload, { cron: '41 5 * * 1' })

/** Asks for the figures of every campaign that runs, once a day. */
export const dailyAdsJob = defineJob('ads.daily', noPayload, { cron: '17 4 * * *' })

/** Says what has followed the change sets whose days are over, after the figures of the day were asked for. */
export const outcomesJob = defineJob('ads.outcomes', noPayload, { cron: '47 6 * * *' })
