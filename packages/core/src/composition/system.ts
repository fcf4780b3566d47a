import type { z } from 'zod'
import { listAudit } from '../domain/accounts/audit/queries.ts'
import { overrideBilling } from '../domain/accounts/billing/override.ts'
import { BillingOverride } from '../domain/accounts/billing/schemas.ts'
import { createApiKey, revokeApiKey } from '../domain/accounts/identity/api-keys.ts'
import { impersonate } from '../domain/accounts/identity/impersonation.ts'
import {
  invite,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '../domain/accounts/identity/invitations.ts'
import { listApiKeys, listUsers } from '../domain/accounts/identity/list-queries.ts'
import { resetUserPassword, setUserRole } from '../domain/accounts/identity/operator-acts.ts'
import { reinstateUser, suspendUser } from '../domain/accounts/identity/suspension.ts'
import { assignTenant, createUser, unassignTenant } from '../domain/accounts/identity/users.ts'
import { listTenants } from '../domain/accounts/tenants/queries.ts'
import { activateTenant, reinstateTenant, suspendTenant } from '../domain/accounts/tenants/suspension.ts'
import { createTenant } from '../domain/accounts/tenants/tenants.ts'
import {
  agentHistory,
  agentVersion,
  changeAgent,
  configureAgent,
  restoreAgent,
} from '../domain/agents/configuration/config.ts'
import {
  changeDefaultAgent,
  defaultAgentHistory,
  defaultAgentVersion,
  getDefaultAgent,
  listDefaultAgents,
  restoreDefaultAgent,
} from '../domain/agents/configuration/default-agent-config.ts'
import { AgentConfigPush, MasterChanges } from '../domain/agents/configuration/default-agent-schemas.ts'
import { getAgent, listOwnAgents } from '../domain/agents/configuration/list-queries.ts'
import { pushDefaultAgent } from '../domain/agents/configuration/push.ts'
import { AgentChanges } from '../domain/agents/configuration/schemas.ts'
import { checkProvider } from '../domain/agents/models/check.ts'
import { clearModelPrice, listModels, setModelPrice } from '../domain/agents/models/prices.ts'
import { listProviders } from '../domain/agents/models/provider-queries.ts'
import { changeProvider, createProvider, removeProvider } from '../domain/agents/models/providers.ts'
import type { SkillScope } from '../domain/agents/skills/entities.ts'
import { getSkill, listGlobalSkills, listSkills } from '../domain/agents/skills/queries.ts'
import type { SkillFiles } from '../domain/agents/skills/read-file.ts'
import { SkillFormChanges } from '../domain/agents/skills/schemas.ts'
import { deleteSkill, putSkill } from '../domain/agents/skills/skills.ts'
import { receiveMail } from '../domain/delivery/receive-mail.ts'
import { getStatus } from '../domain/insight/system/status.ts'
import { StatusQuery } from '../domain/insight/system/status-schemas.ts'
import { getTenant } from '../domain/insight/tenants/detail-queries.ts'
import { liftSuppression } from '../domain/people/mail/bounces/lift.ts'
import { listSuppressed } from '../domain/people/mail/bounces/queries.ts'
import { SuppressedQuery } from '../domain/people/mail/bounces/schemas.ts'
import { previewEmailTemplate, renderEmailTemplate } from '../domain/people/mail/templates/preview.ts'
import { getEmailTemplate, listEmailTemplates } from '../domain/people/mail/templates/queries.ts'
import { EmailPreview, EmailTemplateQuery } from '../domain/people/mail/templates/schemas.ts'
import { getActivity } from '../domain/work/activities/detail.ts'
import { retryActivity, retryDeadLetter } from '../domain/work/activities/retry.ts'
import { findStuck } from '../domain/work/activities/sweep.ts'
import { escalate } from '../domain/work/approvals/escalate.ts'
import { getApproval, listApprovals } from '../domain/work/approvals/queries.ts'
import { resolve } from '../domain/work/approvals/resolve.ts'
import { Escalation } from '../domain/work/approvals/schemas.ts'
import { createCampaign } from '../domain/work/campaigns/create.ts'
import { getCampaign, listCampaigns } from '../domain/work/campaigns/queries.ts'
import { CampaignQuery, NewCampaign } from '../domain/work/campaigns/schemas.ts'
import { archiveRecurring, changeRecurring, createRecurring } from '../domain/work/recurring/change.ts'
import { listRecurring } from '../domain/work/recurring/queries.ts'
import { NewRecurring, RecurringChange } from '../domain/work/recurring/schemas.ts'
import { getRun, listRuns } from '../domain/work/runs/lifecycle/list-queries.ts'
import { getDeadLetter, listDeadLetters } from '../domain/work/runs/queue/dead-letter-queries.ts'
import { queueNumbers } from '../domain/work/runs/queue/queue-queries.ts'
import { check } from '../kernel/check.ts'
import type { Ctx } from '../kernel/context.ts'
import { moneyServices } from './system-money.ts'

/**
 * What an operator's program needs and no person is asked for: setting up, looking after, steering. Without any access rule, over all
 * tenants or inside of one. Everything else is called as someone, through the endpoints.
 */
const services = {
  ...moneyServices,
  activities: {
    get: getActivity,
    retry: retryActivity,
    sweep: findStuck,
  },
  approvals: {
    list: listApprovals,
    get: getApproval,
    resolve,
    escalate: (ctx: Ctx, id: string, escalation: Escalation) =>
      escalate(ctx, id, check(Escalation, escalation)),
  },
  agents: {
    get: getAgent,
    versions: agentHistory,
    version: agentVersion,
    list: listOwnAgents,
    configure: configureAgent,
    change: (ctx: Ctx, role: string, changes: AgentChanges) =>
      changeAgent(ctx, role, check(AgentChanges, changes)),
    restore: restoreAgent,
  },
  agentConfigs: {
    get: getDefaultAgent,
    version: defaultAgentVersion,
    list: listDefaultAgents,
    change: (ctx: Ctx, role: string, changes: MasterChanges) =>
      changeDefaultAgent(ctx, role, check(MasterChanges, changes)),
    push: (ctx: Ctx, role: string, push: z.input<typeof AgentConfigPush>) =>
      pushDefaultAgent(ctx, role, check(AgentConfigPush, push)),
    versions: defaultAgentHistory,
    restore: restoreDefaultAgent,
  },
  apiKeys: {
    create: createApiKey,
    list: listApiKeys,
    revoke: revokeApiKey,
  },
  audit: {
    list: listAudit,
  },
  campaigns: {
    create: (ctx: Ctx, campaign: z.input<typeof NewCampaign>) =>
      createCampaign(ctx, check(NewCampaign, campaign)),
    list: (ctx: Ctx, query: z.input<typeof CampaignQuery> = {}) =>
      listCampaigns(ctx, check(CampaignQuery, query)),
    get: getCampaign,
  },
  invitations: {
    create: invite,
    list: listInvitations,
    resend: resendInvitation,
    revoke: revokeInvitation,
  },
  emailTemplates: {
    list: (ctx: Ctx, query: z.input<typeof EmailTemplateQuery> = {}) =>
      listEmailTemplates(ctx, check(EmailTemplateQuery, query)),
    get: getEmailTemplate,
    render: renderEmailTemplate,
    preview: (ctx: Ctx, id: string, preview: z.input<typeof EmailPreview>) =>
      previewEmailTemplate(ctx, id, check(EmailPreview, preview)),
  },
  mail: {
    receive: receiveMail,
    suppressed: (ctx: Ctx, query: z.input<typeof SuppressedQuery> = {}) =>
      listSuppressed(ctx, check(SuppressedQuery, query)),
    lift: liftSuppression,
  },
  models: {
    list: listModels,
    setPrice: setModelPrice,
    clearPrice: clearModelPrice,
  },
  recurring: {
    list: listRecurring,
    create: (ctx: Ctx, template: NewRecurring) => createRecurring(ctx, check(NewRecurring, template)),
    change: (ctx: Ctx, id: string, changes: RecurringChange) =>
      changeRecurring(ctx, id, check(RecurringChange, changes)),
    archive: archiveRecurring,
  },
  system: {
    status: (ctx: Ctx, query: z.input<typeof StatusQuery> = {}) => getStatus(ctx, check(StatusQuery, query)),
    queues: queueNumbers,
    deadLetters: listDeadLetters,
    deadLetter: getDeadLetter,
    retry: retryDeadLetter,
  },
  providers: {
    list: listProviders,
    create: createProvider,
    change: changeProvider,
    remove: removeProvider,
    check: checkProvider,
  },
  runs: {
    list: listRuns,
    get: getRun,
  },
  skills: {
    list: listSkills,
    get: getSkill,
    put: (ctx: Ctx, scope: SkillScope, skill: SkillFormChanges, files: SkillFiles) =>
      putSkill(ctx, scope, check(SkillFormChanges, skill), files),
    delete: deleteSkill,
    listGlobal: listGlobalSkills,
  },
  tenants: {
    create: createTenant,
    list: listTenants,
    get: getTenant,
    activate: activateTenant,
    suspend: suspendTenant,
    reinstate: reinstateTenant,
    impersonate,
    overrideBilling: (ctx: Ctx, tenantId: string, override: z.input<typeof BillingOverride>) =>
      overrideBilling(ctx, tenantId, check(BillingOverride, override)),
  },
  users: {
    create: createUser,
    list: listUsers,
    assign: assignTenant,
    unassign: unassignTenant,
    suspend: suspendUser,
    reinstate: reinstateUser,
    resetPassword: resetUserPassword,
    setRole: setUserRole,
  },
}

type Bound<S> = {
  [G in keyof S]: {
    [F in keyof S[G]]: S[G][F] extends (ctx: Ctx, ...args: infer A) => infer R ? (...args: A) => R : never
  }
}

/** The operators' services, bound to a context. */
export type SystemApi = Bound<typeof services>

/** Binds the operators' services to the installation itself. Each call has a request id and an action of its own for the record. */
export function bindSystem(ctx: Ctx): SystemApi {
  const groups = Object.entries(services).map(([group, functions]) => {
    const bound = Object.entries(functions as Record<string, (ctx: Ctx, ...args: never[]) => unknown>).map(
      ([name, run]) => {
        const call = (...args: never[]) => {
          const own = { requestId: ctx.newId(), startedAt: ctx.clock.now(), action: `${group}.${name}` }
          return run({ ...ctx, trace: { ...ctx.trace, ...own } }, ...args)
        }
        return [name, call]
      },
    )
    return [group, Object.fromEntries(bound)]
  })
  return Object.fromEntries(groups) as SystemApi
}
