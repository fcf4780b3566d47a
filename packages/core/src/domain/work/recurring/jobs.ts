import { defineJob, noPayload } from '../../../kernel/jobs.ts'

/** Gives out the recurring work whose slots have come: templates are due at whole minutes, in the zone of each tenant. */
export const recurringWorkJob = defineJob('recurring.fire', noPayload, {
  cron: '* * * * *',
  maxAttempts: 1,
})
