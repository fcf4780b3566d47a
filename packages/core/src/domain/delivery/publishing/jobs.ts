import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'

const ofOne = z.object({ publicationId: z.string() })

/** A platform may be silent for half a minute, and a process does six jobs at a time: one tenant leaves room for others. */
const turns = { group: 'publish.turn', cap: 8, tenantCap: 3 }

/** One turn of an intent. What is not due is left alone, so that a job too many does nothing. */
export const publishJob = defineJob('publish.turn', ofOne, turns)

/** One turn of a newer text that takes the place of one that is out. What is not due is left alone, as by `publish.turn`. */
export const changeJob = defineJob('publish.change', ofOne, turns)

/** Takes a post back from its platform. */
export const removeJob = defineJob('publish.remove', ofOne, { cap: 2 })

/** Finds intents whose job was lost, every five minutes. */
export const sweepJob = defineJob('publish.sweep', noPayload, { cron: '*/5 * * * *' })

/** Asks a platform on one day (UTC) what became of some posts of a channel, the newest first: of those before `before`. */
export const pullMetricsJob = defineJob(
  'publish.metrics',
  z.object({ channelId: z.string(), day: z.string(), before: z.string().optional() }),
  { cap: 2 },
)

/** Asks for the figures of all posts, once a day. */
export const dailyMetricsJob = defineJob('publish.metrics.daily', noPayload, { cron: '53 4 * * *' })

/** Asks a platform what became of a channel's account as a whole, such as a page. */
export const pullAccountJob = defineJob('publish.account', z.object({ channelId: z.string() }), { cap: 2 })

/** Asks for the figures of all accounts, once a day. */
export const dailyAccountsJob = defineJob('publish.account.daily', noPayload, { cron: '13 10 * * *' })

/** Asks a source what became of the tenant's website. */
export const pullWebsiteJob = defineJob('publish.website', z.object({ channelId: z.string() }), { cap: 2 })

/** Asks every source, once a day: late enough for Google's days, which end in California. */
export const dailyWebsiteJob = defineJob('publish.website.daily', noPayload, { cron: '37 9 * * *' })
