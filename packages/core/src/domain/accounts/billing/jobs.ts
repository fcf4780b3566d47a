import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'

/** Ends a trial that is over and not paid for. */
export const endTrialJob = defineJob('subscription.trial', z.object({ subscriptionId: z.string() }))

/** Applies an event of a payment provider. */
export const applyEventJob = defineJob('payment.event', z.object({ eventId: z.string() }))

/** Applies what a provider told of a subscription before it was known here. */
export const applyWaitingJob = defineJob(
  'payment.waiting',
  z.object({ provider: z.string(), providerSubscriptionId: z.string() }),
)

/** Asks the provider what an event is about that names no subscription, and applies it. */
export const locateEventJob = defineJob('payment.locate', z.object({ eventId: z.string() }), {
  maxAttempts: 60,
})

/**
 * Brings a change of a subscription to its provider. One runs at a time, and each brings what holds when it runs: so the last one leaves there
 * what holds here. It is tried for some hours.
 */
export const informProviderJob = defineJob(
  'payment.inform',
  z.object({
    what: z.enum(['price', 'end']),
    provider: z.string(),
    providerSubscriptionId: z.string(),
    /** The same in every try. */
    key: z.string(),
    prorate: z.boolean().default(false),
  }),
  { group: 'payment.inform', cap: 1, maxAttempts: 60 },
)

/** Bills the subscriptions whose period has ended. */
export const billPeriodsJob = defineJob('billing.periods', noPayload, { cron: '7 * * * *' })

/** Reminds of payments that are missing, and stops the work where one is overdue. */
export const dunningJob = defineJob('billing.dunning', noPayload, { cron: '22 * * * *' })
