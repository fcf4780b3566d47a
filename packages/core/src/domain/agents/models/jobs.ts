import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'

/** Asks a provider whether it answers; asked again by the next round, so it is not retried. */
export const checkProviderJob = defineJob('provider.check', z.object({ providerId: z.string() }), {
  cap: 1,
  maxAttempts: 1,
})

/** One check of a provider at a time. */
export const providerCheck = (providerId: string) => ({
  tenantId: null,
  payload: { providerId },
  uniqueKey: `${checkProviderJob.kind}:${providerId}`,
})

/** Has every provider asked that was not asked for a while. */
export const checkProvidersJob = defineJob('provider.check_all', noPayload, {
  cron: '*/10 * * * *',
  maxAttempts: 1,
})
