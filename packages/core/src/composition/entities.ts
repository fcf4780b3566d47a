import { Subscription } from '../domain/accounts/billing/entities.ts'
import { paymentEntities } from '../domain/accounts/billing/events/entities.ts'
import { invoiceEntities } from '../domain/accounts/billing/invoices/entities.ts'
import { planEntities } from '../domain/accounts/billing/plans/entities.ts'
import { ChannelConnection, ConnectAttempt } from '../domain/accounts/channels/entities.ts'
import { Consent } from '../domain/accounts/consents/entities.ts'
import {
  ApiKey,
  IdempotencyRecord,
  Invitation,
  KnownLogin,
  PasswordReset,
  PendingGrant,
  Session,
  TenantAssignment,
  User,
} from '../domain/accounts/identity/entities.ts'
import { Registration } from '../domain/accounts/identity/registration-entity.ts'
import { Tenant, TenantProfile } from '../domain/accounts/tenants/entities.ts'
import { AgentSession, DefaultAgent, TenantAgent } from '../domain/agents/configuration/entities.ts'
import { modelEntities } from '../domain/agents/models/entities.ts'
import { Skill } from '../domain/agents/skills/entities.ts'
import { chatEntities } from '../domain/chat/entities.ts'
import { CampaignRecommendation } from '../domain/delivery/ads/advice/entities.ts'
import { changeEntities } from '../domain/delivery/ads/changes/entities.ts'
import { CampaignMapping } from '../domain/delivery/ads/entities.ts'
import { AdGroup, CampaignKeyword, NegativeKeyword } from '../domain/delivery/ads/keywords/entities.ts'
import { OutsideChange } from '../domain/delivery/ads/outside/entities.ts'
import { SearchTermReport } from '../domain/delivery/ads/terms/entities.ts'
import { leadEntities } from '../domain/delivery/leads/entities.ts'
import { MailOptOut } from '../domain/delivery/mailing/entities.ts'
import { OutreachMail } from '../domain/delivery/outreach/entities.ts'
import { AccountDay } from '../domain/delivery/publishing/account-days/entities.ts'
import { Publication } from '../domain/delivery/publishing/entities.ts'
import { LinkTagging } from '../domain/delivery/publishing/link-tags/entities.ts'
import { PublicationMetrics } from '../domain/delivery/publishing/metrics/entities.ts'
import { PublishingSlots } from '../domain/delivery/publishing/plan/entities.ts'
import { WebsiteDay } from '../domain/delivery/publishing/website/entities.ts'
import { sequenceEntities } from '../domain/delivery/sequences/entities.ts'
import { webhookEntities } from '../domain/delivery/webhooks/entities.ts'
import { FeedMark } from '../domain/insight/feed/entities.ts'
import { reportEntities } from '../domain/insight/reports/entities.ts'
import { crawlEntities } from '../domain/knowledge/crawl/entities.ts'
import { knowledgeEntities } from '../domain/knowledge/datasets/entities.ts'
import { Document } from '../domain/knowledge/documents/entities.ts'
import { assetEntities } from '../domain/media/entities.ts'
import { bounceEntities } from '../domain/people/mail/bounces/entities.ts'
import { OutsideMailCount } from '../domain/people/mail/entities.ts'
import { EmailTemplate } from '../domain/people/mail/templates/entities.ts'
import { Notification, NotificationPreference } from '../domain/people/notifications/entities.ts'
import { pushEntities } from '../domain/people/push/entities.ts'
import {
  Activity,
  ActivityComment,
  ActivityLogEntry,
  ActivityMention,
} from '../domain/work/activities/entities.ts'
import { Approval, ApprovalLink, ReviewHours } from '../domain/work/approvals/entities.ts'
import { BrandProfile } from '../domain/work/brand/entities.ts'
import { ActivityTemplate, Campaign, Deliverable, Period } from '../domain/work/campaigns/entities.ts'
import { CampaignMetrics } from '../domain/work/campaigns/metrics/entities.ts'
import { CampaignAudience, CampaignOrder } from '../domain/work/campaigns/workflow/entities.ts'
import { BlogPost } from '../domain/work/content/blog/entities.ts'
import { Feedback, Output } from '../domain/work/content/entities.ts'
import { requestEntities } from '../domain/work/content/requests/entities.ts'
import { RecurringSlot, RecurringTemplate } from '../domain/work/recurring/entities.ts'
import { BudgetAlert, Run, RunDelta, ToolCall, TranscriptEntry } from '../domain/work/runs/entities.ts'
import { ActivitySource } from '../domain/work/sources/entities.ts'
import { Goal, Strategy, StrategyDraft } from '../domain/work/strategy/entities.ts'
import { AuditRecord, CalendarSlot, Setting } from '../kernel/entities.ts'
import { ConfigVersion } from '../kernel/versions/entities.ts'
import type { Entities } from '../platform/database/database.ts'
import { eventEntities } from '../platform/events/entities.ts'
import { jobEntities } from '../platform/jobs/entities.ts'

/** Every table. Migrations are made from this list, and a test holds them against it. */
export const entities: Entities = [
  Activity,
  ActivityComment,
  ActivityLogEntry,
  ActivityMention,
  ActivitySource,
  ActivityTemplate,
  AdGroup,
  AgentSession,
  ApiKey,
  Approval,
  ApprovalLink,
  AuditRecord,
  ...invoiceEntities,
  ...paymentEntities,
  ...planEntities,
  ...bounceEntities,
  BrandProfile,
  BudgetAlert,
  BlogPost,
  CalendarSlot,
  Campaign,
  CampaignAudience,
  CampaignKeyword,
  CampaignMapping,
  CampaignMetrics,
  CampaignOrder,
  CampaignRecommendation,
  ...changeEntities,
  OutsideChange,
  ChannelConnection,
  ...chatEntities,
  ...assetEntities,
  ConfigVersion,
  ConnectAttempt,
  Consent,
  Deliverable,
  Document,
  EmailTemplate,
  ...eventEntities,
  FeedMark,
  Feedback,
  Goal,
  IdempotencyRecord,
  Invitation,
  ...jobEntities,
  ...crawlEntities,
  ...knowledgeEntities,
  KnownLogin,
  ...leadEntities,
  ...sequenceEntities,
  MailOptOut,
  OutreachMail,
  DefaultAgent,
  ...modelEntities,
  NegativeKeyword,
  Notification,
  NotificationPreference,
  Output,
  OutsideMailCount,
  PasswordReset,
  PendingGrant,
  Period,
  Publication,
  PublicationMetrics,
  WebsiteDay,
  AccountDay,
  PublishingSlots,
  LinkTagging,
  ...pushEntities,
  RecurringSlot,
  RecurringTemplate,
  Registration,
  ReviewHours,
  ...reportEntities,
  ...requestEntities,
  Run,
  SearchTermReport,
  RunDelta,
  Session,
  Setting,
  Skill,
  Strategy,
  StrategyDraft,
  Subscription,
  Tenant,
  TenantProfile,
  TenantAgent,
  TenantAssignment,
  ToolCall,
  TranscriptEntry,
  User,
  ...webhookEntities,
]
