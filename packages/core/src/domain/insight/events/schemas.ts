import { z } from 'zod'
import { dataByType } from '../../../kernel/streams.ts'
import { isoDate } from '../../../platform/wire.ts'
import { tenantEvents } from '../../work/events.ts'

const textDelta = z.object({
  delta: z.string(),
  activityId: z.string(),
  runId: z.string(),
  attempt: z.int(),
})

/** What the people of a tenant are told, by the name of the event. */
export const tenantStream = {
  text_delta: textDelta,
  ...dataByType(tenantEvents, {}),
  resync: z.object({}),
}

/** Where the mobile app opens on the event. */
const deepLink = { deepLink: z.string() }

/** The same for the mobile app. */
export const appStream = {
  text_delta: textDelta.extend(deepLink),
  ...dataByType(tenantEvents, deepLink),
  resync: z.object(deepLink),
}

/** The tenant, and the time of the event. */
const happened = { tenantId: z.string(), tenantName: z.string(), at: isoDate }

const run = z.object({
  runId: z.string(),
  activityId: z.string(),
  title: z.string(),
  agentRole: z.string(),
  attempt: z.int(),
  ...happened,
})

/** What reviewers are told of all their tenants. */
export const reviewerStream = {
  approval_created: z.object({
    approvalId: z.string(),
    ...happened,
    riskLevel: z.string(),
    type: z.string(),
    title: z.string(),
  }),
  approval_expiring: z.object({
    approvalId: z.string(),
    ...happened,
    hoursLeft: z.number(),
    title: z.string().optional(),
  }),
  activity_started: run,
  run_completed: run,
  /** One attempt; a retried run starts again. */
  run_failed: run.extend({ error: z.string().optional() }),
  approval_resolved: z.object({
    approvalId: z.string(),
    ...happened,
    type: z.string(),
    title: z.string(),
    resolution: z.string(),
    note: z.string().nullable(),
    resolvedBy: z.object({ id: z.string(), name: z.string() }),
  }),
  activity_completed: z.object({ activityId: z.string(), ...happened, title: z.string() }),
  report_delivered: z.object({
    reportId: z.string(),
    ...happened,
    title: z.string(),
    deliveredBy: z.string(),
  }),
  agent_error: z.object({
    ...happened,
    agentRole: z.string(),
    error: z.string(),
    activityId: z.string().nullable(),
  }),
  activity_blocked: z.object({
    activityId: z.string(),
    ...happened,
    blockerType: z.string(),
    title: z.string().optional(),
    agentRole: z.string().nullish(),
    /** Set while the activity is blocked by it. */
    reason: z.string().optional(),
  }),
  resync: z.object({}),
}
