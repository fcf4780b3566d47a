import { randomUUID } from 'node:crypto'
import type { EndpointInfo } from '@copydesk/core'
import fc from 'fast-check'
import type { z } from 'zod'
import { brief, password } from './app.ts'
import { claimsOf, type Person, ruleOf } from './callers.ts'
import { type Known, valid } from './fuzz/valid.ts'
import { redirectUrl } from './oauth-server.ts'
import { reportOn } from './world-work.ts'
import { newCustomer, type Side, type World } from './world.ts'

/** What an endpoint is asked with. */
export interface Input {
  params: Record<string, string>
  query?: Record<string, string>
  body?: unknown
}

/** The rows that ids in paths, queries and bodies belong to, by the end of their names. */
const tables: readonly (readonly [RegExp, string])[] = [
  [/campaignIds?$/i, 'campaigns'],
  [/deliverableIds?$/i, 'deliverables'],
  [/activityIds?$/i, 'activities'],
  [/approvalIds?$/i, 'approvals'],
  [/itemId$/i, 'approvals'],
  [/runId$/i, 'runs'],
  [/userIds?$/i, 'users'],
  [/^(principalId|toId)$/, 'users'],
  [/channelId$/i, 'channel_connections'],
  [/skillIds?$/i, 'skills'],
  [/goalId$/i, 'goals'],
  [/documentId$/i, 'documents'],
  [/webhookId$/i, 'webhooks'],
  [/deliveryId$/i, 'webhook_deliveries'],
  [/requestId$/i, 'content_requests'],
  [/reportId$/i, 'reports'],
]

/** What parameters and fields hold that no schema tells. */
const words: Readonly<Record<string, readonly string[]>> = {
  timezone: ['Europe/Berlin', 'Asia/Kolkata', 'UTC'],
  country: ['DE', 'IN', 'US'],
  billingCountry: ['DE'],
  state: ['DE-BE', 'BE'],
  website: ['https://shop.example.com/'],
  phone: ['+49 30 1234567'],
  agentRole: ['social_writer', 'ads_writer'],
  'filter.agentRole': ['social_writer'],
  version: ['1'],
  against: ['1', '2'],
  skillName: ['Tone of voice'],
  toRole: ['social_writer', 'blog_writer'],
  role: ['admin', 'member'],
  customRegionId: ['US', 'IN'],
  platform: ['search_ads', 'cms_site'],
  cron: ['0 9 * * 1', '*/15 8-18 * * *'],
  promptTemplate: ['Report to {{company}} on {{date}}'],
  planIds: ['pro', 'agency'],
  password: [password],
  newPassword: ['Another-horse-2'],
}

/**
 * Values by the name of a field.
 * @param side whose rows are meant; on the operators' surface nobody else's than those of others can be
 */
export function knownTo(world: World, info: EndpointInfo, side: Side): Known {
  return (field) => {
    // An external runtime would be waited for while the clock stands still.
    if (info.id === 'agent.health.test' && field === 'agentRole') return ['social_writer']
    if (info.id === 'cli.approvals.bulk_resolve' && field === 'ids') return side.ids['approvals']
    if (words[field]) return words[field]
    // Whoever calls must not be shut out by what is asked.
    if (field.endsWith('tenantId') || field === 'tenantIds') {
      if (info.surface !== 'admin') return [side.tenantId]
      return [world.spare.tenantId, world.theirs.tenantId]
    }
    if (field === 'templateId' && info.surface === 'admin') {
      return [info.id.startsWith('admin.recurring') ? world.recurringTemplate : world.activityTemplate]
    }
    const table = tables.find(([ending]) => ending.test(field))?.[1]
    if (table === 'runs') return side.atWork.map(({ taskId }) => taskId)
    if (table === 'users' && info.surface === 'admin') return world.theirs.ids['users']
    // Own ones are given by name of the role; by id an agent has those of the installation.
    if (table === 'skills' && (info.surface === 'admin' || field !== 'skillId')) return [world.globalSkill]
    return table === undefined ? undefined : side.ids[table]
  }
}

const soon = ({ clock }: World) => ({ body: { until: new Date(clock.now() + 3_600_000).toISOString() } })
const postOf = ({ ids }: Side) => ids['blog_posts']?.[0] ?? ''

/** Inputs that schemas and names alone do not lead to. */
const examples: Record<string, (world: World) => Partial<Input> | Partial<Input>[]> = {
  'admin.agent_configs.change': () => ({
    body: { defaultConcurrency: 3, adapterConfig: { promptTemplate: 'You write for {{company}}.' } },
  }),
  'admin.agent_configs.push': () => ({
    body: { scope: 'all_tenants', fields: ['defaultConcurrency'], overrideCustom: true },
  }),
  'admin.skills.create': () => ({
    body: { name: 'Headlines', description: 'Read it for ads.', agentRoles: 'ads_writer' },
  }),
  'admin.skills.change': () => ({ body: { name: 'Tone', content: 'Warm.' } }),
  'agent.skills.manifest': () => ({ params: { agentRole: 'ads_writer' } }),
  'agent.skills.get': () => ({ params: { agentRole: 'ads_writer' } }),
  'admin.activity_templates.change': () => ({ body: { name: 'Another name' } }),
  'admin.activity_templates.create': () => ({
    body: {
      name: 'In one step',
      deliverableType: 'social_post',
      steps: [{ stepNumber: 1, title: 'Draft', agentRole: 'social_writer', type: 'draft' }],
    },
  }),
  'admin.recurring_templates.create': () => ({
    body: {
      title: 'Daily',
      agentRole: 'analyst',
      cron: '@daily',
      promptTemplate: 'Report to {{company}}',
      applyToTenants: 'plan_based',
      planIds: ['pro'],
    },
  }),
  'admin.recurring_templates.change': () => ({ body: { status: 'paused' } }),
  'admin.api_keys.create': ({ spare }) => ({ body: { userId: spare.adminId, name: 'Robot' } }),
  'admin.llm_providers.create': () => ({
    body: {
      name: 'Another shelf',
      type: 'local',
      baseUrl: 'http://127.0.0.1:9/v1',
      models: [{ id: 'llama3', name: 'Llama 3', availableOnPlans: ['pro'] }],
    },
  }),
  'admin.llm_providers.change': ({ modelProvider }) => ({
    params: { providerId: modelProvider },
    body: { status: 'disabled' },
  }),
  'admin.llm_providers.remove': ({ modelProvider }) => ({ params: { providerId: modelProvider } }),
  'admin.api_keys.revoke': ({ spareKey }) => ({ params: { id: spareKey } }),
  'admin.tenants.activate': ({ customer }) => ({ params: { tenantId: customer.tenantId } }),
  'admin.tenants.create': () => ({ body: { ...newCustomer, email: 'new@customer.example' } }),
  'admin.tenants.override_billing': ({ customer }) => ({
    params: { tenantId: customer.tenantId },
    body: { action: 'apply_discount', value: 10, reason: 'A friend' },
  }),
  'admin.tenants.reinstate': ({ shut }) => ({ params: { tenantId: shut.tenantId } }),
  'admin.users.reinstate': ({ leavers }) => ({ params: { userId: leavers.adminId } }),
  'auth.login': ({ ours }) => ({ body: { email: ours.email, password, app: 'dashboard' } }),
  'auth.refresh': ({ refreshToken }) => ({ body: { refreshToken } }),
  'auth.password.change': () => ({ body: { currentPassword: password, newPassword: 'Another-horse-2' } }),
  'auth.password.reset': ({ tokens, resetRequest }) => ({
    body: { token: tokens.sign('reset', resetRequest), newPassword: 'Another-horse-2' },
  }),
  'auth.invitations.get': ({ invitation }) => ({ params: { token: invitation } }),
  'auth.invitations.accept': ({ invitation }) => ({ params: { token: invitation }, body: { password } }),
  'auth.oauth.callback': ({ callback }) => ({ params: { platform: 'search_ads' }, query: callback }),
  'auth.register.place': () => ({ body: { state: 'BE', timezone: 'Europe/Berlin' } }),
  'auth.register.complete': () => ({ body: { plan: 'free' } }),
  'agent.runs.result': () => [
    { body: { status: 'success', text: 'Three ads' } },
    { body: { status: 'success', metadata: { nothingToDo: true } } },
    { body: { status: 'error', error: 'Slow down', metadata: { family: 'quota', retryAfterMs: 1_000 } } },
  ],
  'agent.callback.receive': () => [
    { body: { status: 'success', text: 'Three ads', usage: { inputTokens: 10, outputTokens: 20 } } },
    { body: { status: 'completed', output: 'Three ads', sessionId: null, usage: null, error: null } },
  ],
  // Runs that are at work are those of ads writers.
  'agent.sessions.put': ({ ours }) => ({
    params: { agentRole: 'ads_writer' },
    body: {
      sessionId: 'talk-1',
      activityRunId: ours.atWork[0]?.taskId,
      inputTokensSoFar: 10,
      outputTokensSoFar: 20,
    },
  }),
  'dashboard.activities.retry': ({ ours }) => ({ params: { activityId: ours.failed[0] ?? '' } }),
  'dashboard.activities.output': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '' } }),
  'dashboard.versions.get': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '', version: '1' } }),
  'dashboard.versions.diff': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '' } }),
  'dm.versions.get': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '', version: '1' } }),
  'dm.versions.diff': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '' } }),
  'dashboard.agents.change': () => ({ body: { concurrency: 4, adapterConfig: { timeoutSec: 60 } } }),
  'dashboard.feed.snooze': (world) => soon(world),
  'dashboard.skills.create': () => ({
    body: { name: 'Headlines', description: 'Read it for ads.', agentRoles: 'ads_writer' },
  }),
  'dashboard.skills.change': () => ({ body: { name: 'Tone', content: 'Warm.' } }),
  'dashboard.approvals.resolve': () => ({ body: { resolution: 'approved' } }),
  'dashboard.approvals.set_hours': () => ({ body: { days: [1, 2, 3, 4], from: '08:00', until: '16:30' } }),
  'dashboard.channels.connect': () => ({ params: { platform: 'search_ads' }, body: { redirectUrl } }),
  'dashboard.blog_requests.create': () => ({ body: { topic: 'Rye at night' } }),
  'admin.blog_requests.change': ({ ours }) => ({
    params: { requestId: ours.ids['content_requests']?.[0] ?? '' },
    body: { status: 'approved', notes: 'Go on' },
  }),
  'dm.reports.create': ({ ours }) => ({ body: reportOn(ours.tenantId, 'January') }),
  'dm.reports.deliver': () => ({ body: { to: ['boss@client.example'] } }),
  'dm.reports.retry': ({ ours }) => ({ params: { reportId: ours.ids['reports']?.[1] ?? '' } }),
  'files.report': ({ ours, tokens }) => ({
    params: {
      token: tokens.sign('report', { sub: ours.ids['reports']?.[0] ?? '', tenantId: ours.tenantId }),
    },
  }),
  'dm.blog.list': ({ ours }) => ({ query: { tenantId: ours.tenantId } }),
  'dm.blog.get': ({ ours }) => ({ params: { id: postOf(ours) } }),
  'dm.blog.approve': ({ ours }) => ({ params: { id: postOf(ours) } }),
  'dm.blog.reject': ({ ours }) => ({ params: { id: postOf(ours) }, body: { feedback: 'Too long' } }),
  'dashboard.campaigns.create': () => ({
    body: { name: 'Autumn', brief, deliverables: [{ type: 'blog_post', quantity: 1 }] },
  }),
  'dashboard.campaigns.change': () => ({ body: { name: 'Summer' } }),
  'tenant.goals.change': () => ({ body: { title: 'More', targetValue: 12.5 } }),
  'tenant.goals.create': () => ({
    body: {
      title: 'Pieces',
      metric: 'pieces_finished',
      targetValue: 10,
      periodStart: '2026-01-01',
      periodEnd: '2026-03-31',
    },
  }),
  'tenant.webhooks.create': () => ({
    body: { url: 'https://hooks.example/in', eventTypes: ['approval_created'] },
  }),
  'tenant.webhooks.change': () => ({ body: { status: 'disabled' } }),
  'tenant.context.put': () => ({ body: { voice: 'Plain', bannedPhrases: ['Best ever'] } }),
  'dm.approvals.escalate': () => ({ body: { newRiskLevel: 'high', reason: 'Goes out tomorrow' } }),
  'dm.approvals.bulk_resolve': ({ ours }) => ({
    body: { approvalIds: ours.ids['approvals'], resolution: 'rejected', note: 'Too long' },
  }),
  'dashboard.team.invite': () => ({ body: { email: 'nia@test.example', name: 'Nia New', role: 'member' } }),
  'dashboard.team.change': ({ ours }) => ({
    params: { userId: ours.ids['users']?.[1] ?? '' },
    body: { role: 'member' },
  }),
  'dashboard.team.remove': ({ ours }) => ({ params: { userId: ours.ids['users']?.[1] ?? '' } }),
  'dm.activities.pause': ({ ours }) => ({ params: { activityId: ours.inProgress[0] ?? '' }, body: {} }),
  'dm.activities.resume': ({ ours }) => ({ params: { activityId: ours.inProgress.at(-1) ?? '' }, body: {} }),
  'dm.activities.retry': ({ ours }) => ({ params: { activityId: ours.failed[0] ?? '' } }),
  'dm.activities.cancel': ({ ours }) => ({ params: { activityId: ours.inProgress[0] ?? '' } }),
  'dm.activities.reassign': ({ ours }) => ({
    params: { activityId: ours.inProgress[0] ?? '' },
    body: { assigneeType: 'agent', assigneeId: 'blog_writer', reason: 'Too long for an ad' },
  }),
  'dm.agents.get': ({ ours }) => ({ params: { tenantId: ours.tenantId } }),
  'dm.agents.pause': ({ ours }) => ({ params: { tenantId: ours.tenantId }, body: {} }),
  'dm.agents.resume': ({ ours }) => ({ params: { tenantId: ours.tenantId, agentRole: 'auditor' } }),
  'dm.agents.clear_error': ({ ours }) => ({
    params: { tenantId: ours.tenantId, agentRole: 'analyst' },
    body: {},
  }),
  'dm.agents.run': ({ ours }) => ({
    params: { role: 'researcher' },
    body: { tenantId: ours.tenantId, prompt: 'Find three facts' },
  }),
  'dm.team.reassign_activities': ({ ours }) => ({
    params: { principalId: ours.ids['users']?.[1] ?? '' },
    body: { toId: ours.adminId, reason: 'On holiday' },
  }),
  'dm.approvals.resolve': () => ({ body: { resolution: 'rejected', note: 'Too long' } }),
  'dm.feed.snooze': (world) => soon(world),
  'cli.activities.stream': ({ ours }) => ({ params: { id: ours.written[0] ?? '' } }),
  'cli.approvals.bulk_resolve': ({ ours }) => [
    { body: { action: 'reject', ids: ours.ids['approvals'], note: 'Too long' } },
    { body: { action: 'approve', filter: { riskLevel: 'low' }, dryRun: true } },
    { body: { action: 'reject', filter: { tenantId: ours.tenantId, ageMinutesGt: 0 }, note: 'Too long' } },
  ],
  'cli.impersonate': ({ ours }) => ({ body: { tenantId: ours.tenantId } }),
  'cli.nl': () => ({ body: { query: 'What waits?', context: { surface: 'cli' } } }),
  'mobile.activities.output': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '' } }),
  'mobile.push.register': () => ({
    body: { deviceId: randomUUID(), pushToken: 'a-new-token', platform: 'ios', appVersion: '1.0' },
  }),
  'mobile.push.change': ({ ours }) => ({
    params: { deviceId: ours.deviceId },
    body: { pushToken: 'a-newer-token' },
  }),
  'mobile.push.remove': ({ ours }) => ({ params: { deviceId: ours.deviceId } }),
  'tenant.notifications.read': () => ({ body: { markAll: true } }),
  'tenant.notifications.set_preferences': () => ({
    body: {
      ways: { budget_alert: { inbox: true, push: false, mail: true } },
      quietHours: { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' },
    },
  }),
  'mobile.notifications.read': () => ({ body: { markAll: true } }),
  'mobile.approvals.resolve': () => ({ body: { resolution: 'approved' } }),
}

/**
 * An input that an endpoint takes: written down here, or made from its schemas.
 * @param side whose rows it is about
 * @throws Error with a sentence that says what to add where it cannot be made
 */
export function inputFor(world: World, info: EndpointInfo, side: Side = world.ours): Input {
  const { body, query, names, keys, params } = info.definition
  const known = knownTo(world, info, side)
  const [given = {}] = examplesFor(side === world.ours ? world : { ...world, ours: side }, info)
  const made: Record<string, string> = {}
  for (const [i, name] of names.entries()) {
    const key = keys[i] as string
    const value = given.params?.[key] ?? (known(name) ?? known(key))?.[0]
    if (value === undefined) {
      const where = params[key] === 'ulid' ? 'the table of its rows to `tables`' : 'a value to `words`'
      throw new Error(
        `${info.id} takes :${name}, and nobody knows one: add ${where} or an example to test/kit/inputs.ts`,
      )
    }
    made[name] = String(value)
  }
  const wanted = given.query ?? (query && textOf(info, query, known))
  return {
    params: made,
    ...(wanted && { query: wanted }),
    ...(given.body !== undefined ? { body: given.body } : body && { body: sample(info, body, known) }),
  }
}

/** The terminal asks most things of what reviewers have. */
export const delegatedId = ({ id }: EndpointInfo) => id.replace(/^cli\./, 'dm.')

/** Whole inputs that an endpoint is known to take. */
export function examplesFor(world: World, info: EndpointInfo): Partial<Input>[] {
  return [(examples[info.id] ?? examples[delegatedId(info)])?.(world) ?? []].flat()
}

function sample(info: EndpointInfo, schema: z.ZodType, known: Known): unknown {
  const found = fc
    .sample(valid(schema, known), { numRuns: 300, seed: 7 })
    .find((value) => schema.safeParse(value).success)
  if (found === undefined) {
    throw new Error(
      `No input for ${info.id} could be made from its schema: add an example to test/kit/inputs.ts`,
    )
  }
  return found
}

/** Only what has to be there. */
function textOf(info: EndpointInfo, query: z.ZodObject, known: Known): Record<string, string> {
  if (query.safeParse({}).success) return {}
  const value = sample(info, query, known) as Record<string, unknown>
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, [inner].flat().join(',')]))
}

/** The roles of people that an endpoint is meant for; none where it is for nobody of flesh and blood. */
export function rolesFor(info: EndpointInfo): readonly Person[] {
  const rule = ruleOf(info)
  if (!rule?.credentials.includes('jwt')) return []
  return rule.roles === 'any' ? ['admin'] : rule.roles.filter((role) => role !== 'agent')
}

/**
 * The `Authorization` header of somebody of ours who is meant to call an endpoint; undefined where none is needed.
 * @param role default: the first that it is meant for
 */
export function callerFor(
  world: World,
  info: EndpointInfo,
  input?: Pick<Input, 'params'>,
  role = rolesFor(info)[0],
): string | undefined {
  const rule = ruleOf(info)
  if (!rule) return undefined
  const { tokens, registrations, clock, apiKey, ownKey } = world
  if (role) return `Bearer ${tokens.sign('access', claimsOf(world, role))}`
  if (rule.credentials.includes('task')) {
    const sub = input?.params['runId'] ?? world.ours.atWork[0]?.taskId ?? ''
    return `Bearer ${tokens.sign('task', { sub, attempt: 1, exp: Math.floor(clock.now() / 1000) + 900 })}`
  }
  if (rule.credentials.includes('registration'))
    return `Bearer ${tokens.sign('registration', { sub: registrations[0] ?? '' })}`
  // Where the work is that of one tenant, the key of a super-admin would have to name it.
  return `ApiKey ${info.surface === 'agent' ? ownKey : apiKey}`
}
