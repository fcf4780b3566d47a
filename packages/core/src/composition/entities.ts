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
import { billingEntities } from '../domain/accounts/tenants/billing-entities.ts'
import { Tenant } from '../domain/accounts/tenants/entities.ts'
import { AgentSession, DefaultAgent, TenantAgent } from '../domain/agents/configuration/entities.ts'
import { modelEntities } from '../domain/agents/models/entities.ts'
import { Skill } from '../domain/agents/skills/entities.ts'
import { chatEntities } from '../domain/chat/entities.ts'
import { leadEntities } from '../domain/delivery/leads/entities.ts'
import { webhookEntities } from '../domain/delivery/webhooks/entities.ts'
import { FeedMark } from '../domain/insight/feed/entities.ts'
import { reportEntities } from '../domain/insight/reports/entities.ts'
import { crawlEntities } from '../domain/knowledge/crawl/entities.ts'
import { knowledgeEntities } from '../domain/knowledge/datasets/entities.ts'
import { Document } from '../domain/knowledge/documents/entities.ts'
import { OutsideMailCount } from '../domain/people/mail/entities.ts'
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
import { BlogPost } from '../domain/work/content/blog/entities.ts'
import { Feedback, Output } from '../domain/work/content/entities.ts'
import { requestEntities } from '../domain/work/content/requests/entities.ts'
import { RecurringSlot, RecurringTemplate } from '../domain/work/recurring/entities.ts'
import { BudgetAlert, Run, RunDelta, ToolCall, TranscriptEntry } from '../domain/work/runs/entities.ts'
import { ActivitySource } from '../domain/work/sources/entities.ts'
import { Goal, Strategy, StrategyDraft } from '../domain/work/strategy/entities.ts'
import { AuditRecord, CalendarSlot, Setting } from '../kernel/entities.ts'
import { ConfigVersion } from '../kernel/versions/entities.ts'
import { eventEntities } from '../platform/events/entities.ts'
import { jobEntities } from '../platform/jobs/entities.ts'

/** Every table. Migrations are made from this list, and a test holds them against it. */
export const entities = [
  Activity,
  ActivityComment,
  ActivityLogEntry,
  ActivityMention,
  ActivitySource,
  ActivityTemplate,
  AgentSession,
  ApiKey,
  Approval,
  ApprovalLink,
  AuditRecord,
  ...billingEntities,
  BrandProfile,
  BudgetAlert,
  BlogPost,
  CalendarSlot,
  Campaign,
  ChannelConnection,
  ...chatEntities,
  ConfigVersion,
  ConnectAttempt,
  Consent,
  Deliverable,
  Document,
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
  DefaultAgent,
  ...modelEntities,
  Notification,
  NotificationPreference,
  Output,
  OutsideMailCount,
  PasswordReset,
  PendingGrant,
  Period,
  ...pushEntities,
  RecurringSlot,
  RecurringTemplate,
  Registration,
  ReviewHours,
  ...reportEntities,
  ...requestEntities,
  Run,
  RunDelta,
  Session,
  Setting,
  Skill,
  Strategy,
  StrategyDraft,
  Tenant,
  TenantAgent,
  TenantAssignment,
  ToolCall,
  TranscriptEntry,
  User,
  ...webhookEntities,
]
