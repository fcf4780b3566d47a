import type { EndpointInfo } from '@copydesk/core'
import { z } from 'zod'
import { entities } from '../../packages/core/src/domain/entities.ts'
import { delegatedId } from './inputs.ts'
import { reportOn } from './world-work.ts'
import type { CallerKind, Knocker, TwoTenants, Twin } from './two-tenants.ts'

/** A spot of an endpoint that takes an id. */
export interface Place {
  info: EndpointInfo
  in: 'path' | 'query' | 'body'
  /** As it is written there, such as `filter.campaignId`. */
  field: string
  /** Under which a twin keeps an id of that kind. */
  name: string
}

export const labelOf = ({ info, in: where, field }: Place) => `${info.id}: ${field} in the ${where}`

interface JsonSchema {
  pattern?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  enum?: string[]
}

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

const ulidForm = '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'

/** Names of the fields that hold ids, by their form or by their name, however deep they lie. */
function idFields(schema: JsonSchema, name = ''): string[] {
  if (schema.pattern === ulidForm || /(^|\.)(id|ids|cursor)$|\wIds?$/.test(name)) return [name]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => idFields(inner, key)),
    ...(schema.items ? idFields(schema.items, name) : []),
    ...(schema.anyOf ?? []).flatMap((inner) => idFields(inner, name)),
  ]
}

/** Every spot of these endpoints that takes an id. */
export function placesOf(endpoints: readonly EndpointInfo[]): Place[] {
  return endpoints.flatMap((info) => {
    const { params, query, body } = info.definition
    const inPath = info.path.split('/').flatMap((part, at, parts): Place[] => {
      const field = part.slice(1)
      if (!part.startsWith(':') || (params[field] !== 'ulid' && !/(^id|Id)$/.test(field))) return []
      return [{ info, in: 'path', field, name: nameOf(part, parts[at - 1]) }]
    })
    const inside = (where: 'query' | 'body', schema: z.ZodType | undefined) =>
      [...new Set(schema ? idFields(schemaOf(schema)) : [])].map(
        (field): Place => ({ info, in: where, field, name: field.replace(/^.*\./, '') }),
      )
    return [...inPath, ...inside('query', query), ...inside('body', body)]
  })
}

/** What a parameter is an id of; a plain `:id` is one of what stands before it. */
const nameOf = (part: string, before: string | undefined) => (part === ':id' ? `${before} id` : part.slice(1))

/** Spots that take no id of any tenant, and why. */
export const tenantless: Record<string, string> = {
  'dashboard.campaigns.create: templateId in the body': 'templates belong to the installation',
  'agent.actions.report_blocker: channelId in the body': 'is kept as the agent says it, and never looked up',
  'agent.callback.receive: sessionId in the body': 'is a session of the runtime, not one of ours',
  'dashboard.agents.change: skillIds in the body':
    'skills of the installation, which are the same for everybody',
  'agent.sessions.put: sessionId in the body': 'is a session of the runtime, not one of ours',
  'mobile.push.register: deviceId in the body':
    'names a device, which belongs to who logs in at it, whoever had it before',
  'tenant.notifications.read: ids in the body':
    'passes over what is not the caller’s own, as on the mobile surface',
  'mobile.notifications.read: ids in the body':
    'passes over what is not the caller’s own, which has a test beside it',
  'dashboard.campaigns.create: platformIds in the body': 'names platforms, which are the same for everybody',
}

type Ids = Record<string, string>

/** A body that each endpoint takes, made of a tenant's ids. */
const bodies: Record<string, (ids: Ids) => object> = {
  'dashboard.activities.comment': () => ({ text: 'Hello' }),
  'dashboard.blog_requests.create': ({ channelId }) => ({ topic: 'Rye at night', channelId }),
  'dashboard.skills.change': () => ({ name: 'Another tone' }),
  'dashboard.approvals.resolve': () => ({ resolution: 'rejected', note: 'No' }),
  'dashboard.approvals.set_hours': () => ({ days: [1, 2, 3, 4], from: '08:00', until: '16:30' }),
  'dashboard.campaigns.change': () => ({ name: 'Autumn' }),
  'tenant.webhooks.change': () => ({ description: 'Another' }),
  'tenant.goals.change': () => ({ title: 'Another' }),
  'dm.approvals.send_to_client': () => ({ note: 'Like this?' }),
  'dm.approvals.escalate': () => ({ newRiskLevel: 'high', reason: 'Goes out tomorrow' }),
  'dm.approvals.bulk_resolve': ({ approvalIds }) => ({
    approvalIds: [approvalIds],
    resolution: 'rejected',
    note: 'No',
  }),
  'cli.approvals.bulk_resolve': ({ ids }) => ({ action: 'reject', ids: [ids], note: 'No' }),
  'cli.approvals.bulk_resolve: tenantId in the body': ({ tenantId }) => ({
    action: 'reject',
    // Of which there are none, so that the others can go on.
    filter: { tenantId, type: 'strategy_change' },
    note: 'No',
  }),
  'cli.nl': ({ tenantId }) => ({ query: 'What waits?', context: { tenantId, surface: 'cli' } }),
  'dashboard.team.change': () => ({ role: 'member' }),
  'dm.activities.comment': () => ({ text: 'Hello' }),
  'dm.activities.pause': () => ({}),
  'dm.activities.resume': () => ({}),
  'dm.activities.cancel': () => ({ reason: 'Not wanted' }),
  'dm.activities.reassign': ({ assigneeId }) => ({
    assigneeType: 'human',
    assigneeId,
    reason: 'A person should',
  }),
  'dm.agents.pause': () => ({}),
  'dm.agents.clear_error': () => ({}),
  'dm.agents.run': ({ tenantId, campaignId }) => ({ tenantId, campaignId, prompt: 'Find three facts' }),
  'dm.team.reassign_activities': ({ toId }) => ({ toId, reason: 'On holiday' }),
  'dm.approvals.resolve': () => ({ resolution: 'rejected', note: 'No' }),
  'dashboard.feed.snooze': () => ({ until: '2026-04-10T18:00:00Z' }),
  'dm.feed.snooze': () => ({ until: '2026-04-10T18:00:00Z' }),
  'dm.blog.reject': () => ({ feedback: 'No' }),
  'dm.reports.create': ({ tenantId = '', campaignIds }) => ({
    ...reportOn(tenantId, 'January'),
    campaignIds: [campaignIds],
  }),
  'dm.reports.deliver': () => ({ to: [] }),
  'mobile.activities.comment': () => ({ text: 'Hello' }),
  'mobile.push.register': ({ deviceId }) => ({
    deviceId,
    pushToken: `token-of-${deviceId}`,
    platform: 'ios',
    appVersion: '1.0',
  }),
  'mobile.push.change': ({ deviceId }) => ({ pushToken: `another-token-of-${deviceId}` }),
  'tenant.notifications.read': () => ({ markAll: true }),
  'mobile.notifications.read': () => ({ markAll: true }),
  'mobile.approvals.resolve': () => ({ resolution: 'rejected', note: 'No' }),
  'agent.callback.receive': () => ({ status: 'success', text: 'Text' }),
  'agent.actions.add_comment': () => ({ text: 'Hello' }),
  'agent.actions.create_approval': ({ linkedActivityIds }) => ({
    title: 'Which?',
    type: 'channel_action',
    linkedActivityIds: [linkedActivityIds],
    blockCurrentActivity: false,
  }),
  'agent.actions.create_subtask': () => ({
    title: 'Find out',
    agentRole: 'researcher',
    prompt: 'Find out',
    blocking: false,
  }),
  'agent.actions.reassign': ({ toUserId }) => ({ toUserId, reason: 'A person should' }),
  'agent.actions.report_blocker': () => ({ blockerType: 'insufficient_data', description: 'No data' }),
  'agent.actions.request_review': () => ({ title: 'Look', description: 'Please' }),
  'agent.runs.result': () => ({ status: 'success', text: 'Text' }),
  'agent.runs.stream': () => ({ delta: 'Text', sequenceNum: 1 }),
  'agent.sessions.put': ({ activityRunId }) => ({
    sessionId: 'talk-1',
    activityRunId,
    inputTokensSoFar: 10,
    outputTokensSoFar: 20,
  }),
  'agent.runs.tool_call': () => ({
    toolName: 'look_up',
    method: 'call',
    input: {},
    status: 'success',
    durationMs: 1,
  }),
}

/** A body for an endpoint, or one of its spots, where it takes one. */
export function bodyFor(info: EndpointInfo, ids: Ids, label = info.id): object | undefined {
  if (!info.definition.body) return undefined
  return (bodies[label] ?? bodies[info.id] ?? bodies[delegatedId(info)])?.(ids)
}

/** Whether the access matrix lets this kind of caller through, whatever the id. */
export function mayCall({ access }: EndpointInfo, kind: Knocker): boolean {
  if (access.public) return true
  if (kind === 'key')
    return access.credentials.includes('apikey') && (access.roles === 'any' || access.roles.includes('admin'))
  const app = kind === 'reviewer' ? 'dm-portal' : 'dashboard'
  return (
    access.credentials.includes(kind === 'agent' ? 'task' : 'jwt') &&
    (access.roles === 'any' || access.roles.includes(kind)) &&
    (access.apps.length === 0 || (kind !== 'agent' && access.apps.includes(app)))
  )
}

/** What stands in paths and is no id; every twin has it. */
const words: Record<string, string> = {
  agentRole: 'social_writer',
  role: 'social_writer',
  skillName: 'Tone of voice',
  version: '1',
}

/** The path of an endpoint with a tenant's ids in it. */
export function pathOf({ path }: EndpointInfo, ids: Ids): string {
  const parts = path.split('/')
  return parts
    .map((part, at) => {
      const name = nameOf(part, parts[at - 1])
      return part.startsWith(':') ? (ids[name] ?? encodeURIComponent(words[name] ?? 'unknown')) : part
    })
    .join('/')
}

export interface Answer {
  status: number
  code: string | undefined
  text: string
}

export interface Sent {
  token: string
  ids: Ids
  query?: string
  headers?: Record<string, string>
  /** Default: one that the endpoint takes. */
  body?: object
}

let callers = 0

/** Calls an endpoint with a tenant's ids; of a stream that opens only the head is read. */
export async function send({ app, clock }: TwoTenants, info: EndpointInfo, sent: Sent): Promise<Answer> {
  const { token, ids, query = '', headers = {} } = sent
  const body = info.definition.body && (sent.body ?? bodyFor(info, ids))
  const response = await app.fetch(
    `${pathOf(info, ids)}${query && `?${query}`}`,
    {
      method: info.method,
      headers: {
        authorization: `${token.startsWith('cdk_') ? 'ApiKey' : 'Bearer'} ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    },
    { ip: `10.4.${Math.floor((callers += 1) / 250)}.${callers % 250}` },
  )
  // Limits have tests of their own.
  if (response.headers.get('x-ratelimit-remaining') === '0') clock.advance(60_000)
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status: response.status, code: undefined, text: '' }
  }
  const text = await response.text()
  const { error } = (text === '' ? {} : JSON.parse(text)) as { error?: { code: string } }
  return { status: response.status, code: error?.code, text }
}

/** Without the time at which a reading began, which the cursors of a feed carry. */
const timeless = (text: string) => text.replace(/(\d\.[0-9a-z]+\.[0-9A-Z]{26})\.[0-9a-z]+/g, '$1')

/** Everything that one caller can read: each list as it is, by its filters, in its orders and page by page. */
export async function everythingReadBy(
  two: TwoTenants,
  endpoints: readonly EndpointInfo[],
  { tokens, ids }: Pick<Twin, 'tokens' | 'ids'>,
  kind: CallerKind,
  more: Pick<Sent, 'query' | 'headers'> = {},
): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const readable = endpoints.filter(
    (info) => info.method === 'GET' && info.kind === 'json' && !info.access.public && mayCall(info, kind),
  )
  for (const info of readable) {
    const read = async (query: string) => {
      const all = [query, more.query].filter(Boolean).join('&')
      const { text } = await send(two, info, { ...more, token: tokens[kind], ids, query: all })
      answers.set(timeless(`${info.id}?${query}`), timeless(text))
      return text
    }
    await read('')
    const fields = info.definition.query ? (schemaOf(info.definition.query).properties ?? {}) : {}
    for (const [field, schema] of Object.entries(fields)) {
      const own = ids[field.replace(/^.*\./, '')]
      const values = schema.enum ?? (own === undefined ? [] : [own])
      for (const value of values) await read(`${field}=${value}`)
    }
    if (!fields['cursor']) continue
    for (let query = 'limit=3'; query !== ''; ) {
      const page = JSON.parse(await read(query)) as { pagination?: { nextCursor: string | null } }
      const cursor = page.pagination?.nextCursor
      query = cursor ? `limit=3&cursor=${cursor}` : ''
    }
  }
  return answers
}

/** Knows whose the ids, hashes, addresses and words in the database are. */
export interface Owners {
  /** What stands in a text and belongs to another tenant than those that its reader may see. */
  strangersIn(text: string, allowed: readonly string[]): string[]
  /** How many different things of a tenant stand in a text. */
  countIn(text: string, tenantId: string): number
}

const marks = /[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{64}|[\w.+-]+@[\w.-]+|[a-z]+/g

export async function ownersOf({ app: { db }, twins }: TwoTenants): Promise<Owners> {
  const owners = new Map<string, string>(twins.map(({ word, tenantId }) => [word, tenantId]))
  const own = async (text: string) => {
    for (const { value, owner } of await db.sql.all<{ value: string; owner: string | null }>(text))
      if (owner !== null) owners.set(value, owner)
  }
  for (const { meta } of entities) {
    if ('id' in meta.properties && 'tenantId' in meta.properties)
      await own(`select id as value, tenant_id as owner from ${meta.tableName}`)
  }
  await own('select id as value, id as owner from tenants')
  await own('select sha256 as value, tenant_id as owner from outputs')
  await own('select email as value, tenant_id as owner from users')
  // A reviewer of one tenant only is nobody that another tenant knows of.
  const single = 'from tenant_assignments group by user_id having count(*) = 1'
  await own(`select user_id as value, max(tenant_id) as owner ${single}`)
  const found = (text: string) => [...new Set(text.match(marks))]
  return {
    strangersIn: (text, allowed) =>
      found(text).filter((mark) => {
        const owner = owners.get(mark)
        return owner !== undefined && !allowed.includes(owner)
      }),
    countIn: (text, tenantId) => found(text).filter((mark) => owners.get(mark) === tenantId).length,
  }
}
