import { eventsFor } from '../../kernel/events.ts'
import { channelConnected, channelDisconnected } from '../accounts/channels/events.ts'
import {
  activityBlocked,
  activityCompleted,
  activityFailed,
  activityReassigned,
  activityStarted,
} from './activities/events.ts'
import {
  approvalCreated,
  approvalEscalated,
  approvalExpired,
  approvalExpiring,
  approvalOverdue,
  approvalResolved,
} from './approvals/events.ts'
import { campaignUpdate } from './campaigns/events.ts'
import {
  contentPublished,
  contentRemoved,
  contentUpdated,
  publicationStopped,
} from './content/publishing-events.ts'
import { budgetAlert, runCompleted, runFailed, toolCalled, toolReturned } from './runs/events.ts'

/** Every event of a tenant's work, in the order in which docs and choices list them. */
export const workEvents = [
  activityStarted,
  activityCompleted,
  activityFailed,
  activityBlocked,
  activityReassigned,
  approvalCreated,
  approvalResolved,
  approvalExpiring,
  approvalExpired,
  approvalEscalated,
  approvalOverdue,
  campaignUpdate,
  budgetAlert,
  channelConnected,
  channelDisconnected,
  contentPublished,
  contentUpdated,
  publicationStopped,
  contentRemoved,
  runCompleted,
  runFailed,
  toolCalled,
  toolReturned,
] as const

/** What the people of a tenant follow, under the names that streams use. */
export const tenantEvents = eventsFor(workEvents, 'tenant')
