import { type CallInput, type Client, type Reply, type RouteOf } from '@copydesk/client'
import { UsageError } from '../operations/invocation.ts'

/** The tenant of an admin or a member. */
export interface OwnTenant {
  id: string
  name: string
}

type Cli = RouteOf<'cli'>
/** Missing fields of a reply are those that only staff get. */
export type Answers = {
  [R in Cli]?: (input: CallInput<'cli', R>) => Promise<Partial<Reply<'cli', R>>>
}

/** Replies of `/cli/v1`, in its shapes, composed from replies of the dashboard. */
export function teamAnswers(client: Client, tenant: OwnTenant): Answers {
  const whose = { tenantId: tenant.id, tenantName: tenant.name }
  const withTenant = <T extends object>(item: T) => ({ ...item, ...whose })
  const all = <T extends object, P>({ data, ...rest }: { data: T[] } & P) => ({
    ...rest,
    data: data.map(withTenant),
  })
  /**
   * The query without the tenant, which the dashboard takes from the login. @throws UsageError for another
   * one
   */
  const own = <Q extends { tenantId?: string | undefined }>({ tenantId, ...query }: Q) => {
    if (tenantId === undefined || tenantId === tenant.id || tenantId === tenant.name) return query
    throw new UsageError(`You are logged in for ${tenant.name} and for no other tenant`, 'tenant')
  }
  const activity = ({ id }: { id: string }) => ({ params: { activityId: id } })
  const approval = ({ id }: { id: string }) => ({ params: { approvalId: id } })
  return {
    'GET /me': async () => ({
      ...(await client.call('auth', 'GET /me')),
      credential: 'token',
      assistantAccess: 'none',
    }),
    'GET /tenants': async () => ({
      data: [{ ...tenant, domain: null }] as unknown as Reply<'cli', 'GET /tenants'>['data'],
      pagination: { nextCursor: null } as Reply<'cli', 'GET /tenants'>['pagination'],
    }),
    'GET /status': async ({ query, signal }) => {
      own(query ?? {})
      return teamStatus(client, whose, signal)
    },
    'GET /approvals/outcomes': () => client.call('dashboard', 'GET /approvals/outcomes'),
    'GET /queue': ({ query, ...more }) =>
      client.call('dashboard', 'GET /queue', { query: own(query ?? {}), ...more }),
    'GET /feed': async ({ query, ...more }) =>
      all(await client.call('dashboard', 'GET /feed', { query: own(query ?? {}), ...more })),
    'POST /feed/:id/dismiss': ({ params }) =>
      client.call('dashboard', 'POST /feed/:itemId/dismiss', { params: { itemId: params.id } }),
    'POST /feed/:id/snooze': ({ params, body }) =>
      client.call('dashboard', 'POST /feed/:itemId/snooze', { params: { itemId: params.id }, body }),
    'GET /agents': async ({ query = {}, signal }) => {
      const { 'filter.role': role, 'filter.status': status } = own(query)
      const { data } = await client.call('dashboard', 'GET /agents', signal ? { signal } : {})
      const agents = data.map((agent) => ({
        ...agent,
        status: agent.status === 'idle' ? 'active' : agent.status,
      }))
      const wanted = agents.filter(
        (each) => (role ?? each.role) === each.role && (status ?? each.status) === each.status,
      )
      return { data: wanted.map(withTenant) as unknown as Reply<'cli', 'GET /agents'>['data'] }
    },
    'GET /cost': async ({ query = {}, signal }) => {
      const { groupBy, ...span } = own(query)
      const by = groupBy === 'model' || groupBy === 'campaign' ? groupBy : 'agent'
      const found = await client.call('dashboard', 'GET /analytics/spend', {
        query: { ...span, groupBy: by },
        ...(signal && { signal }),
      })
      const breakdown = found.breakdown.map((part) => ({ ...part, key: part.label }))
      return { ...found, breakdown: breakdown as Reply<'cli', 'GET /cost'>['breakdown'] }
    },
    'GET /activities': async ({ query = {}, ...more }) => {
      const { limit, cursor } = own(query)
      const page = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) }
      return all(await client.call('dashboard', 'GET /activities', { query: page, ...more }))
    },
    'GET /activities/:id': async ({ params, ...more }) => ({
      ...withTenant(
        await client.call('dashboard', 'GET /activities/:activityId', { ...activity(params), ...more }),
      ),
      canIntervene: false,
    }),
    'GET /activities/:id/brief': ({ params }) =>
      client.call('dashboard', 'GET /activities/:activityId/brief', activity(params)),
    'GET /activities/:id/versions': ({ params, query = {} }) =>
      client.call('dashboard', 'GET /activities/:activityId/versions', { ...activity(params), query }),
    'GET /activities/:id/versions/:version': ({ params }) =>
      client.call('dashboard', 'GET /activities/:activityId/versions/:version', {
        params: { activityId: params.id, version: params.version },
      }),
    'GET /activities/:id/diff': ({ params, query = {} }) =>
      client.call('dashboard', 'GET /activities/:activityId/diff', { ...activity(params), query }),
    'GET /activities/:id/comments': ({ params, query = {} }) =>
      client.call('dashboard', 'GET /activities/:activityId/comments', { ...activity(params), query }),
    'POST /activities/:id/comments': ({ params, body }) =>
      client.call('dashboard', 'POST /activities/:activityId/comments', { ...activity(params), body }),
    'POST /activities/:id/retry': ({ params }) =>
      client.call('dashboard', 'POST /activities/:activityId/retry', activity(params)),
    'GET /kb': async ({ query, ...more }) => {
      own(query ?? {})
      return all(await client.call('dashboard', 'GET /knowledge-base/datasets', more))
    },
    'GET /approvals': async ({ query, ...more }) => {
      const { sortBy: _, ...rest } = own(query ?? {})
      return all(await client.call('dashboard', 'GET /approvals', { query: rest, ...more }))
    },
    'GET /approvals/:id': async ({ params, ...more }) =>
      withTenant(
        await client.call('dashboard', 'GET /approvals/:approvalId', { ...approval(params), ...more }),
      ),
    'GET /approvals/next': async ({ query }) => {
      own(query ?? {})
      const { pending } = await client.call('dashboard', 'GET /queue', {
        query: { status: 'pending', limit: 1 },
      })
      const id = pending[0]?.approvalId
      if (!id) return { approval: null }
      return {
        approval: withTenant(await client.call('dashboard', 'GET /approvals/:approvalId', approval({ id }))),
      }
    },
    'POST /approvals/:id/resolve': ({ params, body }) =>
      client.call('dashboard', 'POST /approvals/:approvalId/resolve', { ...approval(params), body }),
  }
}

/** Days that are listed one by one, as staff see them. */
const days = 14

/**
 * The status of the user's tenant, composed from the dashboard; the health of the installation is for staff
 * only.
 */
async function teamStatus(
  client: Client,
  whose: { tenantId: string; tenantName: string },
  signal?: AbortSignal,
): Promise<Reply<'cli', 'GET /status'>> {
  const stop = signal ? { signal } : {}
  const [{ counts }, stats, month] = await Promise.all([
    client.call('dashboard', 'GET /queue', { query: { limit: 1 }, ...stop }),
    client.call('dashboard', 'GET /approvals/stats', stop),
    client.call('dashboard', 'GET /analytics/spend', stop),
  ])
  const sums = {
    pendingApprovals: counts.pending,
    runningAgents: counts.running,
    blockedActivities: counts.blocked,
    costMtd: month.totalUsd,
  }
  const cap = month.budgetCapUsd
  const own = {
    ...whose,
    ...sums,
    highRiskApprovals: stats.highRisk,
    creditUsed: month.totalUsd,
    creditLimit: cap ?? null,
    costByDay: month.dailySeries.slice(-days).map(({ costUsd }) => costUsd),
    doneByDay: [],
  }
  return { timestamp: new Date().toISOString(), tenants: [own], totals: sums, infrastructure: [] }
}
