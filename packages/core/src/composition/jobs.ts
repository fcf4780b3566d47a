import { remindOfPayments } from '../domain/accounts/billing/dunning/run.ts'
import {
  applyPaymentEvent,
  applyWaitingEvents,
  locatePaymentEvent,
} from '../domain/accounts/billing/events/apply.ts'
import { bringToProvider } from '../domain/accounts/billing/inform-provider.ts'
import {
  applyEventJob,
  applyWaitingJob,
  billPeriodsJob,
  dunningJob,
  endTrialJob,
  informProviderJob,
  locateEventJob,
} from '../domain/accounts/billing/jobs.ts'
import { mailBillingJob } from '../domain/accounts/billing/mails/jobs.ts'
import { mailBilling } from '../domain/accounts/billing/mails/send.ts'
import { billDuePeriods } from '../domain/accounts/billing/periods/run.ts'
import { endTrial } from '../domain/accounts/billing/trials.ts'
import { revokeTokens } from '../domain/accounts/channels/disconnect.ts'
import { extendTokensJob, resumeChannelJob, revokeTokensJob } from '../domain/accounts/channels/jobs.ts'
import { extendConnections } from '../domain/accounts/channels/renew.ts'
import {
  mailInvitationJob,
  mailPasswordChangedJob,
  mailProofJob,
  mailResetJob,
  openResetJob,
} from '../domain/accounts/identity/jobs.ts'
import { mailInvitation, mailProof } from '../domain/accounts/identity/mail.ts'
import { mailPasswordChanged } from '../domain/accounts/identity/password-change.ts'
import { mailReset, openReset } from '../domain/accounts/identity/password-reset.ts'
import { releaseTenantJob } from '../domain/accounts/tenants/jobs.ts'
import { checkStale, runCheck } from '../domain/agents/models/check.ts'
import { checkProviderJob, checkProvidersJob } from '../domain/agents/models/jobs.ts'
import { advise, adviseWeekly } from '../domain/delivery/ads/advice/advise.ts'
import { checkPages } from '../domain/delivery/ads/advice/pages.ts'
import { applyChanges } from '../domain/delivery/ads/changes/apply.ts'
import { sweepChangeSets } from '../domain/delivery/ads/changes/sweep.ts'
import {
  adviseJob,
  applyChangesJob,
  checkPagesJob,
  classifyTermsJob,
  dailyAdsJob,
  outcomesJob,
  sweepChangesJob,
  syncKeywordsJob,
  syncMetricsJob,
  syncTermsJob,
  weeklyAdviceJob,
} from '../domain/delivery/ads/jobs.ts'
import { syncKeywords } from '../domain/delivery/ads/keywords/sync.ts'
import { measureOutcomes } from '../domain/delivery/ads/outcomes/measure.ts'
import { syncDaily, syncMetrics, syncOfChannel } from '../domain/delivery/ads/sync.ts'
import { classifyTerms } from '../domain/delivery/ads/terms/classify.ts'
import { syncTerms } from '../domain/delivery/ads/terms/terms.ts'
import { importLeadsJob, tidyImportJob, undoImportJob } from '../domain/delivery/leads/import/jobs.ts'
import { runImport } from '../domain/delivery/leads/import/run.ts'
import { tidyImport } from '../domain/delivery/leads/import/start.ts'
import { runUndo } from '../domain/delivery/leads/import/undo.ts'
import { testMailJob } from '../domain/delivery/mailings/jobs.ts'
import { mailTest } from '../domain/delivery/mailings/test-mail.ts'
import { outreachJob, sweepOutreachJob } from '../domain/delivery/outreach/jobs.ts'
import { outreachTurn, sweepOutreach } from '../domain/delivery/outreach/turn.ts'
import { pullAccount, pullAccounts } from '../domain/delivery/publishing/account-days/pull.ts'
import { changeTurn } from '../domain/delivery/publishing/change/turn.ts'
import {
  changeJob,
  dailyAccountsJob,
  dailyMetricsJob,
  dailyWebsiteJob,
  publishJob,
  pullAccountJob,
  pullMetricsJob,
  pullWebsiteJob,
  removeJob,
  sweepJob,
} from '../domain/delivery/publishing/jobs.ts'
import { pullDaily, pullMetrics } from '../domain/delivery/publishing/metrics/pull.ts'
import { removePublished } from '../domain/delivery/publishing/remove.ts'
import { resumePublications, sweepPublications } from '../domain/delivery/publishing/sweep.ts'
import { publishTurn } from '../domain/delivery/publishing/turn.ts'
import { pullWebsite, pullWebsiteOf, pullWebsites } from '../domain/delivery/publishing/website/pull.ts'
import { sequenceJob, sweepSequencesJob } from '../domain/delivery/sequences/jobs.ts'
import { sequenceTurn, sweepSequences } from '../domain/delivery/sequences/turn.ts'
import { deliverWebhook } from '../domain/delivery/webhooks/deliver.ts'
import { deliverWebhookJob } from '../domain/delivery/webhooks/jobs.ts'
import { mailReportJob, writeReportJob } from '../domain/insight/reports/jobs.ts'
import { mailReport } from '../domain/insight/reports/mail.ts'
import { writeReport } from '../domain/insight/reports/write.ts'
import { keepPiece, keepPieceJob } from '../domain/knowledge/agents/approved-pieces.ts'
import { crawlJob, recrawlJob } from '../domain/knowledge/crawl/jobs.ts'
import { runCrawl } from '../domain/knowledge/crawl/run.ts'
import { startDueCrawls } from '../domain/knowledge/crawl/start.ts'
import { tidyDocument } from '../domain/knowledge/documents/documents.ts'
import { tidyDocumentJob } from '../domain/knowledge/documents/jobs.ts'
import { embedAgain } from '../domain/knowledge/ingestion/embed-again.ts'
import { ingest } from '../domain/knowledge/ingestion/ingest.ts'
import { embedAgainJob, ingestJob, tidyKnowledgeJob } from '../domain/knowledge/ingestion/jobs.ts'
import { tidyKnowledge } from '../domain/knowledge/ingestion/tidy.ts'
import { tidyAsset } from '../domain/media/assets.ts'
import { tidyAssetJob } from '../domain/media/jobs.ts'
import { mailSuppressedJob } from '../domain/people/mail/bounces/jobs.ts'
import { mailSuppressed } from '../domain/people/mail/bounces/tell-operator.ts'
import { mailNotificationJob } from '../domain/people/notifications/jobs.ts'
import { mailNotification } from '../domain/people/notifications/mail.ts'
import { sendPushJob } from '../domain/people/push/jobs.ts'
import { sendPush } from '../domain/people/push/send.ts'
import { approvalDue } from '../domain/work/approvals/due-date.ts'
import { handleExpiry } from '../domain/work/approvals/expiry.ts'
import { approvalClockJob, approvalDueJob } from '../domain/work/approvals/jobs.ts'
import { planCampaignJob } from '../domain/work/campaigns/jobs.ts'
import { planCampaign } from '../domain/work/campaigns/planner.ts'
import { startRequestJob } from '../domain/work/content/requests/jobs.ts'
import { startRequest } from '../domain/work/content/requests/start.ts'
import { createRecurringRound } from '../domain/work/recurring/fire.ts'
import { recurringWorkJob } from '../domain/work/recurring/jobs.ts'
import { mailFreePool } from '../domain/work/runs/budget/free-pool.ts'
import { mailFreePoolJob } from '../domain/work/runs/budget/jobs.ts'
import { releaseBlocked } from '../domain/work/runs/budget/unproved.ts'
import type { Ctx } from '../kernel/context.ts'
import { type HandledJob, handleJob, handleJobOnce } from '../kernel/job-handlers.ts'
import type { JobDefinition, noPayload } from '../kernel/jobs.ts'
import type { JobWork } from '../platform/jobs/worker.ts'
import { cleanUp, housekeepingJob, tidyStorage, tidyStorageJob } from './housekeeping.ts'

/** Lets go on what has waited for a channel, and fetches what there is to read. */
async function resumeChannel(ctx: Ctx, payload: { channelId: string }): Promise<void> {
  await resumePublications(ctx, payload)
  await syncOfChannel(ctx, payload)
  await pullWebsiteOf(ctx, payload)
}

/** What is done later, and for which kind of job. */
const handled = (): readonly HandledJob[] => [
  handleJobOnce(approvalClockJob, handleExpiry),
  handleJobOnce(approvalDueJob, approvalDue),
  handleJob(planCampaignJob, planCampaign),
  handleJobOnce(startRequestJob, startRequest),
  handleJob(revokeTokensJob, revokeTokens),
  handleJob(mailFreePoolJob, mailFreePool),
  handleJob(mailInvitationJob, mailInvitation),
  handleJob(mailReportJob, mailReport),
  handleJob(mailProofJob, mailProof),
  handleJob(mailNotificationJob, mailNotification),
  handleJob(mailPasswordChangedJob, mailPasswordChanged),
  handleJob(mailResetJob, mailReset),
  handleJob(mailSuppressedJob, mailSuppressed),
  handleJob(openResetJob, openReset),
  handleJob(checkProviderJob, runCheck),
  handleJob(crawlJob, runCrawl),
  handleJob(recrawlJob, startDueCrawls),
  handleJob(ingestJob, ingest),
  handleJob(embedAgainJob, embedAgain),
  handleJob(keepPieceJob, keepPiece),
  handleJob(tidyDocumentJob, tidyDocument),
  handleJob(tidyKnowledgeJob, tidyKnowledge),
  handleJob(tidyAssetJob, tidyAsset),
  handleJob(tidyStorageJob, tidyStorage),
  handleJob(importLeadsJob, runImport),
  handleJob(undoImportJob, runUndo),
  handleJob(tidyImportJob, tidyImport),
  handleJob(deliverWebhookJob, deliverWebhook),
  handleJob(publishJob, publishTurn),
  handleJob(changeJob, changeTurn),
  handleJob(removeJob, removePublished),
  handleJob(resumeChannelJob, resumeChannel),
  handleJob(sweepJob, sweepPublications),
  handleJob(sequenceJob, sequenceTurn),
  handleJob(sweepSequencesJob, sweepSequences),
  handleJob(testMailJob, mailTest),
  handleJob(outreachJob, outreachTurn),
  handleJob(sweepOutreachJob, sweepOutreach),
  handleJob(pullMetricsJob, pullMetrics),
  handleJob(dailyMetricsJob, pullDaily),
  handleJob(pullAccountJob, pullAccount),
  handleJob(dailyAccountsJob, pullAccounts),
  handleJob(pullWebsiteJob, pullWebsite),
  handleJob(dailyWebsiteJob, pullWebsites),
  handleJob(extendTokensJob, extendConnections),
  handleJob(syncMetricsJob, syncMetrics),
  handleJob(syncKeywordsJob, syncKeywords),
  handleJob(syncTermsJob, syncTerms),
  handleJob(classifyTermsJob, classifyTerms),
  handleJob(dailyAdsJob, syncDaily),
  handleJob(applyChangesJob, applyChanges),
  handleJob(sweepChangesJob, sweepChangeSets),
  handleJob(adviseJob, advise),
  handleJob(checkPagesJob, checkPages),
  handleJob(weeklyAdviceJob, adviseWeekly),
  handleJob(outcomesJob, measureOutcomes),
  handleJob(writeReportJob, writeReport),
  handleJob(sendPushJob, sendPush),
  handleJob(releaseTenantJob, releaseBlocked),
  handleJobOnce(applyEventJob, applyPaymentEvent),
  handleJobOnce(applyWaitingJob, applyWaitingEvents),
  handleJob(locateEventJob, locatePaymentEvent),
  handleJob(informProviderJob, bringToProvider),
  handleJobOnce(endTrialJob, endTrial),
  handleJob(billPeriodsJob, billDuePeriods),
  handleJob(dunningJob, remindOfPayments),
  handleJob(mailBillingJob, mailBilling),
  handleJob(housekeepingJob, cleanUp),
  handleJob(checkProvidersJob, checkStale),
  handleJob(recurringWorkJob, createRecurringRound()),
]

/** A job that is asked for by itself. */
export type CalendarJob = JobDefinition<typeof noPayload> & { cron: string }

/** The jobs of the calendar. */
export const calendarJobs: readonly CalendarJob[] = [
  housekeepingJob,
  tidyStorageJob,
  checkProvidersJob,
  recurringWorkJob,
  recrawlJob,
  embedAgainJob,
  billPeriodsJob,
  dunningJob,
  sweepJob,
  sweepSequencesJob,
  sweepOutreachJob,
  sweepChangesJob,
  dailyAccountsJob,
  dailyMetricsJob,
  dailyWebsiteJob,
  extendTokensJob,
  dailyAdsJob,
  weeklyAdviceJob,
  outcomesJob,
]

/** What a queue does: the handlers by the kind of their job, and how many of a group it does at a time. */
export function jobWork(system: () => Ctx): JobWork {
  const jobs = handled()
  const capped = (limit: 'cap' | 'tenantCap') =>
    Object.fromEntries(
      jobs.flatMap(({ job: { group, [limit]: most } }) =>
        group !== undefined && most !== undefined ? [[group, most]] : [],
      ),
    )
  return {
    handlers: Object.fromEntries(jobs.map(({ job, handler }) => [job.kind, handler(system)])),
    caps: capped('cap'),
    tenantCaps: capped('tenantCap'),
  }
}
