import { defineEntity, p } from '@mikro-orm/core'

/** One failed or lost try of a job. */
export interface JobFailure {
  attempt: number
  /** ISO 8601. */
  at: string
  error: string
  /** `invalid` when another try would be in vain. */
  family?: 'transient' | 'invalid'
}

export const jobStates = ['waiting', 'running', 'done', 'dead'] as const
export type JobState = (typeof jobStates)[number]

/** A job as a row; read and written by the statements of this folder only. */
export const Job = defineEntity({
  name: 'Job',
  tableName: 'job',
  properties: {
    id: p.string().length(26).primary(),
    kind: p.string().length(80),
    tenantId: p.string().length(26).strictNullable(),
    payload: p.json().$type<Record<string, unknown>>(),
    uniqueKey: p.string().length(255).strictNullable(),
    groupName: p.string().length(255).strictNullable(),
    status: p.string().length(8).$type<JobState>().default('waiting'),
    priority: p.integer().default(0),
    runAt: p.datetime(3),
    attempt: p.integer().default(0),
    maxAttempts: p.integer(),
    /** The queue instance that holds the lease: part of the fence. */
    worker: p.string().length(26).strictNullable(),
    leaseUntil: p.datetime(3).strictNullable(),
    /** It was asked for while it was running, by a job with its unique key that folded into it: it is done once more. */
    askedAgain: p.boolean().default(false),
    failures: p.json().$type<JobFailure[]>(),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
  uniques: [
    {
      name: 'job_unique_key',
      properties: ['uniqueKey'],
      where: "unique_key is not null and status in ('waiting', 'running')",
    },
  ],
  indexes: [
    {
      name: 'job_waiting',
      properties: ['priority', 'runAt', 'id'],
      where: "status = 'waiting'",
    },
    { name: 'job_running', properties: ['leaseUntil'], where: "status = 'running'" },
    { name: 'job_finished', properties: ['finishedAt'], where: "status in ('done', 'dead')" },
    { name: 'job_dead', properties: ['id'], where: "status = 'dead'" },
  ],
})

export const jobEntities = [Job]
