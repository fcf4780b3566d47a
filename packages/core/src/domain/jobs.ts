import type { JobHandler } from '../platform/jobs/jobs.ts'
import { approvalClock } from './approvals/clock.ts'
import { approvalDue } from './approvals/review-clock.ts'
import { planCampaign } from './campaigns/planner.ts'
import { type RevokePayload, revokeJob, revokeTokens } from './channels/disconnect.ts'
import { startRequest } from './content/requests/start.ts'
import { startJob } from './content/requests/waiting.ts'
import type { Ctx } from './context.ts'
import { tidyDocument, tidyJob } from './documents/documents.ts'
import { mailInvitation } from './identity/invitation-mail.ts'
import { mailPasswordChanged } from './identity/password-change.ts'
import { mailReset, openReset } from './identity/password-reset.ts'
import { mailProof } from './identity/proof-mail.ts'
import { runCheck } from './models/check.ts'
import { mailReport } from './reports/mail.ts'
import { writeJob } from './reports/order.ts'
import { writeReport } from './reports/write.ts'
import { mailNotification } from './notifications/mail.ts'
import { pushJob, sendPush } from './push/send.ts'
import { mailFreePool } from './runs/free-pool-mail.ts'
import { releaseBlocked } from './runs/unproved.ts'
import { releaseJob } from './tenants/proof.ts'
import { endTrial, trialJob } from './tenants/trials.ts'
import { deliverWebhook } from './webhooks/deliver.ts'
import { deliverJob } from './webhooks/queue.ts'

/** Jobs of a group at a time: a server that does not answer must not keep other work waiting. */
export const jobCaps = { mail: 2, [revokeJob]: 2, [deliverJob]: 2, [pushJob]: 4, 'provider.check': 1 }

/** What is done later, by the kind of its job. Every handler may be called twice for one job and must not mind. */
export function jobHandlers(system: () => Ctx): Record<string, JobHandler> {
  const handler =
    <P>(work: (ctx: Ctx, payload: P, signal: AbortSignal) => Promise<void>): JobHandler =>
    ({ payload, signal }) =>
      work(system(), payload as P, signal)
  return {
    'approval.clock': handler(approvalClock),
    'approval.due': handler(approvalDue),
    'campaign.plan': handler(planCampaign),
    [revokeJob]: handler<RevokePayload>(revokeTokens),
    'mail.free_pool': handler(mailFreePool),
    'mail.invitation': handler(mailInvitation),
    'mail.report': handler(mailReport),
    'mail.mailbox_proof': handler(mailProof),
    'mail.notification': handler(mailNotification),
    'mail.password_changed': handler(mailPasswordChanged),
    'mail.password_reset': handler(mailReset),
    'password.forgot': handler(openReset),
    'provider.check': handler(runCheck),
    [tidyJob]: handler(tidyDocument),
    [deliverJob]: handler(deliverWebhook),
    [startJob]: handler(startRequest),
    [writeJob]: handler(writeReport),
    [pushJob]: handler(sendPush),
    [releaseJob]: handler(releaseBlocked),
    [trialJob]: handler(endTrial),
  }
}
