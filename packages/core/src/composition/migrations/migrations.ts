import type { MigrationScript } from '../../platform/database/migrate.ts'
import { migration as start } from './0001-start.ts'
import { migration as accounts } from './0002-accounts.ts'
import { migration as billing } from './0003-billing.ts'
import { migration as operators } from './0004-operators.ts'
import { migration as channels } from './0005-channels.ts'
import { migration as versionsSkills } from './0006-versions-skills.ts'
import { migration as models } from './0007-models-transcripts.ts'
import { migration as agentSessions } from './0008-agent-sessions.ts'
import { migration as queue } from './0009-queue.ts'
import { migration as verdicts } from './0010-verdicts.ts'
import { migration as steering } from './0011-steering.ts'
import { migration as notifications } from './0012-notifications.ts'
import { migration as content } from './0013-content.ts'
import { migration as tenant } from './0014-tenant.ts'
import { migration as feed } from './0015-feed.ts'
import { migration as terminal } from './0016-terminal.ts'
import { migration as reportsDevicesSecrets } from './0017-reports-devices-secrets.ts'
import { migration as assistants } from './0018-assistants.ts'
import { migration as storage } from './0019-storage.ts'
import { migration as mailboxProof } from './0020-mailbox-proof.ts'
import { migration as abuseLimits } from './0021-abuse-limits.ts'
import { migration as attempts } from './0022-attempts.ts'
import { migration as consents } from './0023-consents.ts'
import { migration as calendar } from './0024-calendar.ts'
import { migration as unnumberedEvents } from './0025-unnumbered-events.ts'
import { migration as runTurns } from './0026-run-turns.ts'
import { migration as knowledge } from './0027-knowledge.ts'
import { migration as knowledgeCrawls } from './0028-knowledge-crawls.ts'
import { migration as activitySources } from './0029-activity-sources.ts'
import { migration as conversations } from './0030-conversations.ts'
import { migration as leads } from './0031-leads.ts'
import { migration as paymentsInvoices } from './0032-payments-invoices.ts'
import { migration as deliverablesIndex } from './0033-deliverables-index.ts'
import { migration as emailTemplates } from './0034-email-templates.ts'
import { migration as leadForms } from './0035-lead-forms.ts'
import { migration as leadWords } from './0036-lead-words.ts'
import { migration as mailBounces } from './0037-mail-bounces.ts'
import { migration as knowledgeKeys } from './0038-knowledge-keys.ts'
import { migration as publishing } from './0039-publishing.ts'
import { migration as assets } from './0040-assets.ts'
import { migration as campaignWorkflow } from './0041-campaign-workflow.ts'
import { migration as jobsAskedAgain } from './0042-jobs-asked-again.ts'
import { migration as publishingPlan } from './0043-publishing-plan.ts'
import { migration as leadOrder } from './0044-lead-order.ts'
import { migration as adCampaigns } from './0045-ad-campaigns.ts'
import { migration as adChanges } from './0046-ad-changes.ts'
import { migration as sequences } from './0047-sequences.ts'
import { migration as publicationMetrics } from './0048-publication-metrics.ts'
import { migration as outreachMails } from './0049-outreach-mails.ts'
import { migration as changeOutcomes } from './0050-change-outcomes.ts'
import { migration as websiteDays } from './0051-website-days.ts'
import { migration as mailings } from './0052-mailings.ts'
import { migration as approvedBy } from './0053-approved-by.ts'
import { migration as linkTags } from './0054-link-tags.ts'
import { migration as listIndexes } from './0055-list-indexes.ts'
import { migration as leadBlocks } from './0056-lead-blocks.ts'
import { migration as datedMails } from './0057-dated-mails.ts'
import { migration as publicationChanges } from './0058-publication-changes.ts'
import { migration as channelThrottled } from './0059-channel-throttled.ts'
import { migration as knowledgeModels } from './0060-knowledge-models.ts'
import { migration as refusedFigures } from './0061-refused-figures.ts'
import { migration as knowledgeLanguages } from './0062-knowledge-languages.ts'
import { migration as knowledgeMoney } from './0063-knowledge-money.ts'
import { migration as accountDays } from './0064-account-days.ts'
import { migration as adLimits } from './0065-ad-limits.ts'
import { migration as outsideChanges } from './0066-outside-changes.ts'
import { migration as leadWordsWaiting } from './0067-lead-words-waiting.ts'
import { migration as earlierTerms } from './0068-earlier-terms.ts'
import { migration as sequenceChannels } from './0069-sequence-channels.ts'
import { migration as limitsByPlatform } from './0072-limits-by-platform.ts'
import { migration as knowledgeVectors } from './0073-knowledge-vectors.ts'
import { migration as campaignsByStatus } from './0074-campaigns-by-status.ts'
import { migration as sequencesByPlatform } from './0075-sequences-by-platform.ts'
import { migration as leadIdentities } from './0076-lead-identities.ts'
import { migration as leadWordsChanged } from './0077-lead-words-changed.ts'
import { migration as leadWordsIndex } from './0078-lead-words-index.ts'

/** Every step of the schema, in order. A step that was released is never changed. */
export const migrations: readonly MigrationScript[] = [
  start,
  accounts,
  billing,
  operators,
  channels,
  versionsSkills,
  models,
  agentSessions,
  queue,
  verdicts,
  steering,
  notifications,
  content,
  tenant,
  feed,
  terminal,
  reportsDevicesSecrets,
  assistants,
  storage,
  mailboxProof,
  abuseLimits,
  attempts,
  consents,
  calendar,
  unnumberedEvents,
  runTurns,
  knowledge,
  knowledgeCrawls,
  activitySources,
  conversations,
  leads,
  paymentsInvoices,
  deliverablesIndex,
  emailTemplates,
  leadForms,
  leadWords,
  mailBounces,
  knowledgeKeys,
  publishing,
  assets,
  campaignWorkflow,
  jobsAskedAgain,
  publishingPlan,
  leadOrder,
  adCampaigns,
  adChanges,
  sequences,
  publicationMetrics,
  outreachMails,
  changeOutcomes,
  websiteDays,
  mailings,
  approvedBy,
  linkTags,
  listIndexes,
  leadBlocks,
  datedMails,
  publicationChanges,
  channelThrottled,
  knowledgeModels,
  refusedFigures,
  knowledgeLanguages,
  knowledgeMoney,
  accountDays,
  adLimits,
  outsideChanges,
  leadWordsWaiting,
  earlierTerms,
  sequenceChannels,
  limitsByPlatform,
  knowledgeVectors,
  campaignsByStatus,
  sequencesByPlatform,
  leadIdentities,
  leadWordsChanged,
  leadWordsIndex,
]
