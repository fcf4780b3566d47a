import { eventEntities } from '../platform/events/entities.ts'
import { jobEntities } from '../platform/jobs/entities.ts'
import { Activity, ActivityComment, ActivityLogEntry, ActivityMention } from './activities/entities.ts'
import { MasterAgent, TenantAgent } from './agents/entities.ts'
import { AgentSession } from './agents/session-entity.ts'
import { Approval, ApprovalLink, ReviewHours } from './approvals/entities.ts'
import { AuditRecord } from './audit/entities.ts'
import { BrandProfile } from './brand/entities.ts'
import { ActivityTemplate, Campaign, Deliverable, Period } from './campaigns/entities.ts'
import { ChannelConnection, ConnectAttempt } from './channels/entities.ts'
import { BlogPost } from './content/blog/entities.ts'
import { Feedback, Output } from './content/entities.ts'
import { Document } from './documents/entities.ts'
import { Consent } from './consents/entities.ts'
import { FeedMark } from './feed/entities.ts'
import { requestEntities } from './content/requests/entities.ts'
import {
  ApiKey,
  IdempotencyRecord,
  Invitation,
  PasswordReset,
  Session,
  TenantAssignment,
  User,
} from './identity/entities.ts'
import { KnownLogin } from './identity/known-logins-entity.ts'
import { PendingGrant } from './identity/pending-grant-entity.ts'
import { Registration } from './identity/registration-entity.ts'
import { OutsideMailCount } from './mail/entities.ts'
import { modelEntities } from './models/entities.ts'
import { Notification, NotificationPreference } from './notifications/entities.ts'
import { pushEntities } from './push/entities.ts'
import { RecurringSlot, RecurringTemplate } from './recurring/entities.ts'
import { BudgetAlert } from './runs/alert-entity.ts'
import { reportEntities } from './reports/entities.ts'
import { Run, RunDelta, ToolCall, TranscriptEntry } from './runs/entities.ts'
import { Setting } from './settings/entities.ts'
import { billingEntities } from './tenants/billing-entities.ts'
import { Goal, Strategy, StrategyDraft } from './strategy/entities.ts'
import { Skill } from './skills/entities.ts'
import { Tenant } from './tenants/entities.ts'
import { ConfigVersion } from './versions/entities.ts'
import { webhookEntities } from './webhooks/entities.ts'

/** Every table. Migrations are made from this list, and a test holds them against it. */
export const entities = [
  Activity,
  ActivityComment,
  ActivityLogEntry,
  ActivityMention,
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
  Campaign,
  ChannelConnection,
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
  KnownLogin,
  MasterAgent,
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
