import type { z } from 'zod'
import { activityServices } from './api-activities.ts'
import { agentServices } from './api-agents.ts'
import { teamServices } from './api-team.ts'
import {
  changeMaster,
  getMaster,
  listMasters,
  masterHistory,
  masterVersion,
  restoreMaster,
} from './domain/agents/master-config.ts'
import { MasterChanges, Push } from './domain/agents/master-schemas.ts'
import { pushMaster } from './domain/agents/push.ts'
import { createCampaign } from './domain/campaigns/create.ts'
import {
  changeTemplate,
  createTemplate,
  getTemplate,
  setDefaultTemplate,
} from './domain/campaigns/template-changes.ts'
import { listTemplates } from './domain/campaigns/template-queries.ts'
import { NewTemplate, TemplateChange } from './domain/campaigns/template-schemas.ts'
import { getCampaign, listCampaigns } from './domain/campaigns/queries.ts'
import { CampaignQuery, NewCampaign } from './domain/campaigns/schemas.ts'
import { admins, deciders, members, operators, reviewers, rule, team } from './api-rules.ts'
import { appServices } from './api-app.ts'
import { approvalServices } from './api-approvals.ts'
import { contentServices } from './api-content.ts'
import { tenantServices } from './api-tenant.ts'
import { check } from './domain/check.ts'
import { dismissItem, snoozeItem } from './domain/feed/marks.ts'
import { getOverview } from './domain/feed/overview.ts'
import { listFeed } from './domain/feed/queries.ts'
import { FeedQuery } from './domain/feed/schemas.ts'
import { invite, listInvitations, resendInvitation, revokeInvitation } from './domain/identity/invitations.ts'
import { monthBudget } from './domain/costs/month.ts'
import { costReport } from './domain/costs/report-queries.ts'
import { listAudit } from './domain/audit/queries.ts'
import { createApiKey, revokeApiKey } from './domain/identity/api-keys.ts'
import { impersonate } from './domain/identity/impersonation.ts'
import { listApiKeys, listUsers } from './domain/identity/list-queries.ts'
import { resetUserPassword, setUserRole } from './domain/identity/operator-acts.ts'
import { reinstateUser, suspendUser } from './domain/identity/suspension.ts'
import { assignTenant, createUser, unassignTenant } from './domain/identity/users.ts'
import { checkProvider } from './domain/models/check.ts'
import { clearModelPrice, listModels, setModelPrice } from './domain/models/prices.ts'
import { listProviders } from './domain/models/provider-queries.ts'
import { changeProvider, createProvider, removeProvider } from './domain/models/providers.ts'
import { listCalls } from './domain/runs/call-queries.ts'
import { getRun, listRuns } from './domain/runs/list-queries.ts'
import { systemHealth } from './domain/system/health.ts'
import { getStatus } from './domain/system/status.ts'
import { StatusQuery } from './domain/system/status-schemas.ts'
import type { SkillScope } from './domain/skills/entities.ts'
import { getSkill, listGlobalSkills, listSkills } from './domain/skills/queries.ts'
import { putSkill } from './domain/skills/put.ts'
import type { SkillFiles } from './domain/skills/read-file.ts'
import { NewSkill, SkillChanges, SkillFormChanges } from './domain/skills/schemas.ts'
import {
  changeSkill,
  createSkill,
  deleteSkill,
  restoreSkill,
  skillHistory,
  skillVersion,
} from './domain/skills/skills.ts'
import { archiveRecurring, changeRecurring, createRecurring } from './domain/recurring/change.ts'
import { listRecurring } from './domain/recurring/queries.ts'
import { NewRecurring, RecurringChange } from './domain/recurring/schemas.ts'
import { listDeadLetters } from './domain/runs/dead-letter-queries.ts'
import { getDeadLetter, retryDeadLetter } from './domain/runs/dead-letters.ts'
import { queueNumbers } from './domain/runs/queue-queries.ts'
import { createCoupon, disableCoupon, listCoupons } from './domain/tenants/coupons.ts'
import { overrideBilling } from './domain/tenants/override.ts'
import { listPrices, setPrice } from './domain/tenants/plans.ts'
import { BillingOverride } from './domain/tenants/schemas.ts'
import { getTenant } from './domain/tenants/detail-queries.ts'
import { listTenants } from './domain/tenants/list-queries.ts'
import { activateTenant, reinstateTenant, suspendTenant } from './domain/tenants/suspension.ts'
import { createTenant } from './domain/tenants/tenants.ts'

const noFiles: SkillFiles = { file: [], references: [] }

/** Every service that an embedding program can call, with the roles that may. */
export const services = {
  ...approvalServices,
  ...contentServices,
  ...appServices,
  ...tenantServices,
  activities: activityServices,
  activityTemplates: {
    list: rule(operators, listTemplates),
    get: rule(operators, getTemplate),
    create: rule(operators, (ctx, template: z.input<typeof NewTemplate>) =>
      createTemplate(ctx, check(NewTemplate, template)),
    ),
    change: rule(operators, (ctx, id: string, changes: z.input<typeof TemplateChange>) =>
      changeTemplate(ctx, id, check(TemplateChange, changes)),
    ),
    setDefault: rule(operators, setDefaultTemplate),
  },
  agentConfigs: {
    list: rule(operators, listMasters),
    get: rule(operators, getMaster),
    change: rule(operators, (ctx, role: string, changes: MasterChanges) =>
      changeMaster(ctx, role, check(MasterChanges, changes)),
    ),
    push: rule(operators, (ctx, role: string, push: z.input<typeof Push>) =>
      pushMaster(ctx, role, check(Push, push)),
    ),
    versions: rule(operators, masterHistory),
    version: rule(operators, masterVersion),
    restore: rule(operators, restoreMaster),
  },
  agents: agentServices,
  apiKeys: {
    create: rule(operators, createApiKey),
    list: rule(operators, listApiKeys),
    revoke: rule(operators, revokeApiKey),
  },
  audit: { list: rule(operators, listAudit) },
  campaigns: {
    create: rule(admins, (ctx, campaign: z.input<typeof NewCampaign>) =>
      createCampaign(ctx, check(NewCampaign, campaign)),
    ),
    list: rule(team, (ctx, query: z.input<typeof CampaignQuery> = {}) =>
      listCampaigns(ctx, check(CampaignQuery, query)),
    ),
    get: rule(team, getCampaign),
  },
  costs: { report: rule(operators, costReport), month: rule(members, monthBudget) },
  coupons: {
    create: rule(operators, createCoupon),
    list: rule(operators, listCoupons),
    disable: rule(operators, disableCoupon),
  },
  feed: {
    list: rule(team, (ctx, query: z.input<typeof FeedQuery> = {}) => listFeed(ctx, check(FeedQuery, query))),
    dismiss: rule(team, dismissItem),
    snooze: rule(team, snoozeItem),
    overview: rule(deciders, getOverview),
  },
  invitations: {
    create: rule(admins, invite),
    list: rule(admins, listInvitations),
    resend: rule(admins, resendInvitation),
    revoke: rule(admins, revokeInvitation),
  },
  models: {
    list: rule(operators, listModels),
    setPrice: rule(operators, setModelPrice),
    clearPrice: rule(operators, clearModelPrice),
  },
  recurring: {
    list: rule(operators, listRecurring),
    create: rule(operators, (ctx, template: NewRecurring) =>
      createRecurring(ctx, check(NewRecurring, template)),
    ),
    change: rule(operators, (ctx, id: string, changes: RecurringChange) =>
      changeRecurring(ctx, id, check(RecurringChange, changes)),
    ),
    archive: rule(operators, archiveRecurring),
  },
  system: {
    health: rule(operators, systemHealth),
    status: rule(reviewers, (ctx, query: z.input<typeof StatusQuery> = {}) =>
      getStatus(ctx, check(StatusQuery, query)),
    ),
    calls: rule(operators, listCalls),
    queues: rule(operators, queueNumbers),
    deadLetters: rule(operators, listDeadLetters),
    deadLetter: rule(operators, getDeadLetter),
    retry: rule(operators, retryDeadLetter),
  },
  plans: { list: rule(operators, listPrices), setPrice: rule(operators, setPrice) },
  providers: {
    list: rule(operators, listProviders),
    create: rule(operators, createProvider),
    change: rule(operators, changeProvider),
    remove: rule(operators, removeProvider),
    check: rule(operators, checkProvider),
  },
  runs: { list: rule(operators, listRuns), get: rule(operators, getRun) },
  skills: {
    list: rule(members, listSkills),
    get: rule(members, getSkill),
    create: rule(members, (ctx, scope: SkillScope, skill: z.input<typeof NewSkill>, files: SkillFiles) =>
      createSkill(ctx, scope, check(NewSkill, skill), files),
    ),
    change: rule(
      members,
      (ctx, scope: SkillScope, id: string, changes: SkillChanges, files: SkillFiles = noFiles) =>
        changeSkill(ctx, scope, id, check(SkillChanges, changes), files),
    ),
    put: rule(members, (ctx, scope: SkillScope, skill: SkillFormChanges, files: SkillFiles) =>
      putSkill(ctx, scope, check(SkillFormChanges, skill), files),
    ),
    delete: rule(members, deleteSkill),
    versions: rule(members, skillHistory),
    version: rule(members, skillVersion),
    restore: rule(members, restoreSkill),
    listGlobal: rule(operators, listGlobalSkills),
  },
  team: teamServices,
  tenants: {
    create: rule(operators, createTenant),
    list: rule(operators, listTenants),
    get: rule(operators, getTenant),
    activate: rule(operators, activateTenant),
    suspend: rule(operators, suspendTenant),
    reinstate: rule(operators, reinstateTenant),
    impersonate: rule(operators, impersonate),
    overrideBilling: rule(operators, (ctx, tenantId: string, override: z.input<typeof BillingOverride>) =>
      overrideBilling(ctx, tenantId, check(BillingOverride, override)),
    ),
  },
  users: {
    create: rule(operators, createUser),
    list: rule(operators, listUsers),
    assign: rule(operators, assignTenant),
    unassign: rule(operators, unassignTenant),
    suspend: rule(operators, suspendUser),
    reinstate: rule(operators, reinstateUser),
    resetPassword: rule(operators, resetUserPassword),
    setRole: rule(operators, setUserRole),
  },
}
