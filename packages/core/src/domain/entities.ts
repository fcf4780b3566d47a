import { eventEntities } from '../platform/events/entities.ts'
import { jobEntities } from '../platform/jobs/entities.ts'
import { Activity, ActivityComment, ActivityLogEntry } from './activities/entities.ts'
import { MasterAgent, TenantAgent } from './agents/entities.ts'
import { Approval, ApprovalLink } from './approvals/entities.ts'
import { AuditRecord } from './audit/entities.ts'
import { ActivityTemplate, Campaign, Deliverable, Period } from './campaigns/entities.ts'
import { Feedback, Output } from './content/entities.ts'
import {
  ApiKey,
  IdempotencyRecord,
  Invitation,
  PasswordReset,
  Session,
  TenantAssignment,
  User,
} from './identity/entities.ts'
import { Registration } from './identity/registration-entity.ts'
import { Notification } from './notifications/entities.ts'
import { Run, RunDelta, ToolCall } from './runs/entities.ts'
import { Setting } from './settings/entities.ts'
import { billingEntities } from './tenants/billing-entities.ts'
import { Tenant } from './tenants/entities.ts'

/** Every table. Migrations are made from this list, and a test holds them against it. */
export const entities = [
  Activity,
  ActivityComment,
  ActivityLogEntry,
  ActivityTemplate,
  ApiKey,
  Approval,
  ApprovalLink,
  AuditRecord,
  ...billingEntities,
  Campaign,
  Deliverable,
  ...eventEntities,
  Feedback,
  IdempotencyRecord,
  Invitation,
  ...jobEntities,
  MasterAgent,
  Notification,
  Output,
  PasswordReset,
  Period,
  Registration,
  Run,
  RunDelta,
  Session,
  Setting,
  Tenant,
  TenantAgent,
  TenantAssignment,
  ToolCall,
  User,
]
