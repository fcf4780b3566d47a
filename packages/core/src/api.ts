import { configureAgent } from './domain/agents/config.ts'
import { getActivity, getOutput } from './domain/activities/detail.ts'
import { listActivities } from './domain/activities/queries.ts'
import { retryActivity } from './domain/activities/retry.ts'
import { sweep } from './domain/activities/sweep.ts'
import { getApproval, listApprovals } from './domain/approvals/queries.ts'
import { resolve } from './domain/approvals/resolve.ts'
import { createCampaign } from './domain/campaigns/create.ts'
import { getCampaign, listCampaigns } from './domain/campaigns/queries.ts'
import type { Ctx, Role } from './domain/context.ts'
import { DomainError } from './domain/errors.ts'
import { invite, listInvitations, resendInvitation, revokeInvitation } from './domain/identity/invitations.ts'
import { listAudit } from './domain/audit/queries.ts'
import { createApiKey, revokeApiKey } from './domain/identity/api-keys.ts'
import { impersonate } from './domain/identity/impersonation.ts'
import { listApiKeys, listUsers } from './domain/identity/list-queries.ts'
import { reinstateUser, suspendUser } from './domain/identity/suspension.ts'
import { assignTenant, createUser } from './domain/identity/users.ts'
import { createCoupon, disableCoupon, listCoupons } from './domain/tenants/coupons.ts'
import { listPrices, setPrice } from './domain/tenants/plans.ts'
import { getTenant } from './domain/tenants/detail-queries.ts'
import { listTenants } from './domain/tenants/list-queries.ts'
import { activateTenant, reinstateTenant, suspendTenant } from './domain/tenants/suspension.ts'
import { createTenant } from './domain/tenants/tenants.ts'

const team: readonly Role[] = ['admin', 'member', 'reviewer', 'super_admin']
const deciders: readonly Role[] = ['admin', 'reviewer', 'super_admin']
const operators: readonly Role[] = ['super_admin']

/** Every service that an embedding program can call, with the roles that may. */
const services = {
  activities: {
    list: rule(team, listActivities),
    get: rule(team, getActivity),
    output: rule(team, getOutput),
    retry: rule(deciders, retryActivity),
    sweep: rule(operators, sweep),
  },
  agents: { configure: rule(['admin', 'super_admin'], configureAgent) },
  apiKeys: {
    create: rule(operators, createApiKey),
    list: rule(operators, listApiKeys),
    revoke: rule(operators, revokeApiKey),
  },
  approvals: {
    list: rule(team, listApprovals),
    get: rule(team, getApproval),
    resolve: rule(deciders, resolve),
  },
  audit: { list: rule(operators, listAudit) },
  campaigns: {
    create: rule(['admin', 'super_admin'], createCampaign),
    list: rule(team, listCampaigns),
    get: rule(team, getCampaign),
  },
  coupons: {
    create: rule(operators, createCoupon),
    list: rule(operators, listCoupons),
    disable: rule(operators, disableCoupon),
  },
  invitations: {
    create: rule(['admin', 'super_admin'], invite),
    list: rule(['admin', 'super_admin'], listInvitations),
    resend: rule(['admin', 'super_admin'], resendInvitation),
    revoke: rule(['admin', 'super_admin'], revokeInvitation),
  },
  plans: { list: rule(operators, listPrices), setPrice: rule(operators, setPrice) },
  tenants: {
    create: rule(operators, createTenant),
    list: rule(operators, listTenants),
    get: rule(operators, getTenant),
    activate: rule(operators, activateTenant),
    suspend: rule(operators, suspendTenant),
    reinstate: rule(operators, reinstateTenant),
    impersonate: rule(operators, impersonate),
  },
  users: {
    create: rule(operators, createUser),
    list: rule(operators, listUsers),
    assign: rule(operators, assignTenant),
    suspend: rule(operators, suspendUser),
    reinstate: rule(operators, reinstateUser),
  },
}

interface Rule<A extends unknown[], R> {
  roles: readonly Role[]
  run(ctx: Ctx, ...args: A): R
}

function rule<A extends unknown[], R>(roles: readonly Role[], run: (ctx: Ctx, ...args: A) => R): Rule<A, R> {
  return { roles, run }
}

type Bound<S> = {
  [G in keyof S]: { [F in keyof S[G]]: S[G][F] extends Rule<infer A, infer R> ? (...args: A) => R : never }
}

/** The services bound to one context: each is the function behind the endpoint. */
export type Api = Bound<typeof services>

/**
 * Binds the services to a context.
 * @param mode `checked` refuses what the actor's role may not do with `FORBIDDEN`; `system` asks nobody
 */
export function bindApi(ctx: Ctx, mode: 'checked' | 'system'): Api {
  const groups = Object.entries(services).map(([group, functions]) => {
    const bound = Object.entries(functions as Record<string, Rule<never[], unknown>>).map(
      ([name, { roles, run }]) => {
        const call = (...args: never[]) => {
          if (mode === 'checked' && !roles.includes(ctx.actor.role))
            throw new DomainError('FORBIDDEN', `${group}.${name} is not for the role ${ctx.actor.role}`)
          return run(
            {
              ...ctx,
              trace: {
                ...ctx.trace,
                requestId: ctx.newId(),
                startedAt: ctx.clock.now(),
                action: `${group}.${name}`,
              },
            },
            ...args,
          )
        }
        return [name, call]
      },
    )
    return [group, Object.fromEntries(bound)]
  })
  return Object.fromEntries(groups) as Api
}
