import { type Client, createClient } from '@copydesk/client'
import type { Copydesk } from '@copydesk/core'
import { ulid } from 'ulid'
import type { Role } from '../../packages/core/src/kernel/context.ts'
import { brief, password, type Team, type TestApp } from './app.ts'
import { agentOf, type Dispatch } from './runtime.ts'

export type Tenant = Pick<Team, 'tenantId' | 'adminId'>

/** A tenant with nothing but its admin. */
export async function addTenant(app: TestApp, name: string): Promise<Tenant> {
  const { tenants, users } = app.copydesk.asSystem()
  const { id: tenantId } = await tenants.create({ name, timezone: 'UTC' })
  const email = `admin.${name.toLowerCase()}@test.example`
  const { id: adminId } = await users.create({ email, name: 'Alf Admin', password, role: 'admin', tenantId })
  return { tenantId, adminId }
}

/** A super-admin who is logged in. */
export async function addSuperAdmin(app: TestApp) {
  const email = 'sue.super@test.example'
  const role: Exclude<Role, 'agent'> = 'super_admin'
  const { id } = await app.copydesk.asSystem().users.create({ email, name: 'Sue Super', password, role })
  // Another one, so that no one is the last.
  await app.copydesk.asSystem().users.create({ email: `2.${email}`, name: 'Sam Super', password, role })
  const { accessToken } = await app
    .clientFor()
    .call('auth', 'POST /login', { body: { email, password, app: 'manage' } })
  const session = await app.db.sql.get<{ id: string }>('select id from sessions where user_id = ?', [id])
  return { id, email, sessionId: session?.id ?? '', operator: app.clientFor(accessToken) }
}

/** A client of another instance than the app's own. */
export const clientOf = ({ fetch }: Copydesk, token?: string): Client =>
  createClient({
    baseUrl: 'http://copydesk.test',
    ...(token && { token }),
    fetch: (url, init) => fetch(new Request(url, init)),
  })

/** Anyone who is invited to a tenant. */
export const guest = ({ tenantId }: Team) => `guest.${tenantId.toLowerCase()}@test.example`

/** Social posts are written here and wait for approval, ads wait for an external runtime, newsletters have failed. */
export async function order(app: TestApp, team: Team, name: string, webhookUrl: string): Promise<void> {
  const { agents, invitations } = app.copydesk.asSystem({ tenantId: team.tenantId })
  const adapterConfig = { webhookUrl, authHeader: 'x-runtime-key', authValue: 'the secret' }
  for (const role of ['ads_writer', 'email_writer'])
    await agents.configure(role, {
      adapterType: 'adapter_b',
      adapterConfig,
      concurrency: 10,
      toolNames: ['web_read'],
    })
  await invitations.create({ email: guest(team), name: 'Gus Guest', role: 'member' })
  const admin = app.clientFor(team.adminToken)
  await configureOwn(admin, `The tone of ${name}`)
  await admin.call('dashboard', 'POST /campaigns', {
    body: {
      name: `${name} campaign`,
      brief: brief.replace('# Spring', `# ${name}`),
      deliverables: [
        { type: 'social_post', quantity: 3 },
        { type: 'ad_copy', quantity: 4 },
        { type: 'email_newsletter', quantity: 2 },
        { type: 'blog_post', quantity: 1 },
      ],
    },
  })
  await askFor(team.member, `${name} in the kitchen`)
  await team.reviewer.call('dm', 'POST /reports', { body: reportOn(team.tenantId, `${name} report`) })
  await team.reviewer.call('dm', 'POST /reports', { body: reportOn(team.tenantId, lostReport(name)) })
}

const lostReport = (name: string) => `${name} report that is lost`

/** As if the last report that `order` has asked for could not be written. */
export async function loseReport(app: TestApp, name: string): Promise<void> {
  await app.db.write((tx) =>
    tx.run(
      `update reports set status = 'failed', failure_reason = ?, content = null, blob_key = null where title = ?`,
      [`${name} is out of paper`, lostReport(name)],
    ),
  )
}

/** An order of a report on a month that is over. */
export const reportOn = (tenantId: string, title: string) =>
  ({ tenantId, title, type: 'custom', periodStart: '2026-01-01', periodEnd: '2026-01-31' }) as const

/** What people ask for beside what campaigns promise; their admins are asked about it. */
async function askFor(member: Client, topic: string): Promise<void> {
  await member.call('dashboard', 'POST /blog-requests', { body: { topic, brief: `All of ${topic}` } })
  await member.call('dashboard', 'POST /social-requests', { body: { topic, platforms: ['photo_network'] } })
}

const agentRole = 'social_writer'

/** The form of a skill that writers have. */
export function skillOf(name: string, text: string): FormData {
  const form = new FormData()
  const fields = { name, description: 'Read it before you write.', agentRoles: `${agentRole}, ads_writer` }
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('file', new Blob([text], { type: 'text/markdown' }), 'skill.md')
  return form
}

/** Changes what agents start from, and gives them a skill. @returns the id of the skill */
export async function configure(operator: Client): Promise<string> {
  const params = { agentRole }
  await operator.call('admin', 'PATCH /agent-configs/:agentRole', { params, body: { defaultConcurrency: 3 } })
  const { id } = await operator.call('admin', 'POST /skills', {
    body: skillOf('House style', 'Plain words.'),
  })
  return id
}

/** Uploads texts to a dataset, by the names of their files. */
export function addKnowledge(
  by: Client,
  datasetId: string,
  files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>,
) {
  const body = new FormData()
  for (const [name, content] of Object.entries(files)) body.append('files', new Blob([content]), name)
  return by.call('dashboard', 'POST /knowledge-base/datasets/:datasetId/files/upload', {
    params: { datasetId },
    body,
  })
}

/** Asks a question in a new conversation, and waits for the whole answer. */
export async function askChat(by: Client, message: string): Promise<string> {
  for await (const { event, data } of by.stream('dashboard', 'POST /chat/message', { body: { message } }))
    if (event === 'completed') return data.conversationId
  throw new Error('no answer came')
}

/** What a tenant wants to reach. */
const goal = {
  metric: 'pieces_finished',
  targetValue: 10,
  periodStart: '2026-04-01',
  periodEnd: '2026-06-30',
} as const

/** The same for the agents of one tenant, and what it sets for all of its work. @returns the id of the skill */
export async function configureOwn(admin: Client, name: string): Promise<string> {
  const params = { agentRole }
  await admin.call('dashboard', 'PATCH /agents/:agentRole', { params, body: { concurrency: 4 } })
  await admin.call('tenant', 'PUT /context', {
    body: { company: { name: 'Bakers', description: name }, bannedPhrases: [name] },
  })
  await admin.call('tenant', 'PUT /strategy', { body: { content: name } })
  const file = new FormData()
  file.append('file', new Blob([JSON.stringify(name)]), `${name}.txt`)
  await admin.call('tenant', 'POST /documents', { body: file })
  const { data } = await admin.call('dashboard', 'GET /knowledge-base/datasets')
  await addKnowledge(admin, data[0]?.id ?? '', { [`${name}.md`]: `# ${name}\n\nBaked overnight.` })
  await admin.call('dashboard', 'POST /knowledge-base/datasets/:datasetId/crawl', {
    params: { datasetId: data[0]?.id ?? '' },
    body: {
      startUrl: `https://site.example/${encodeURIComponent(name)}`,
      scheduleFor: '2999-01-01T00:00:00.000Z',
    },
  })
  await admin.call('tenant', 'POST /goals', { body: { ...goal, title: name } })
  await askChat(admin, `What is ${name}?`)
  await admin.call('dashboard', 'POST /leads', { body: { firstName: 'Lea', lastName: name, notes: name } })
  await addLeads(admin, name)
  await admin.call('dashboard', 'PUT /approvals/hours', {
    body: { days: [1, 2, 3, 4, 5], from: '08:00', until: '17:00' },
  })
  const { id } = await admin.call('dashboard', 'POST /skills', { body: skillOf('Tone of voice', name) })
  return id
}

/** A lead, and an import of another one beside a line that is none. */
async function addLeads(admin: Client, name: string): Promise<void> {
  await admin.call('dashboard', 'POST /leads', {
    body: { firstName: 'Lea', lastName: name, notes: name },
  })
  const body = new FormData()
  body.append('source', name)
  body.append('file', new Blob([`firstName,lastName,email\nLeo,${name},\nLou,${name},${name}`]), 'leads.csv')
  await admin.call('dashboard', 'POST /leads/import', { body })
}

/** A webhook that nothing is sent to, and a message that it has had. @returns their ids */
export async function addWebhook(app: TestApp, { admin, tenantId }: Team, name: string) {
  const { id: webhookId } = await admin.call('tenant', 'POST /webhooks', {
    body: {
      url: `https://${name.toLowerCase()}.hooks.example/`,
      description: name,
      eventTypes: ['channel_disconnected'],
    },
  })
  const deliveryId = ulid()
  await app.db.write((tx) =>
    tx.run(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, message_id, type, body, status, attempts, error, created_on)
       values (?, ?, ?, ?, 'test', ?, 'delivered', 1, ?, ?)`,
      [
        deliveryId,
        tenantId,
        webhookId,
        deliveryId,
        `{"name":"${name}"}`,
        name,
        new Date(app.options.clock?.now() ?? 0),
      ],
    ),
  )
  return { webhookId, deliveryId }
}

/** Resolves when there is nothing left to do but what waits for someone. @returns the runs that have failed */
export async function busy(app: TestApp, dispatches: readonly Dispatch[]): Promise<Set<string>> {
  const failed = new Set<string>()
  await app.until(async () => {
    for (const dispatch of dispatches) {
      if (dispatch.agentRole !== 'email_writer' || failed.has(dispatch.taskId)) continue
      failed.add(dispatch.taskId)
      await agentOf(app, dispatch).fail('The model refuses', { family: 'refusal' })
    }
    const open = await app.db.sql.get<{ n: number }>(
      `select (select count(*) from job where status = 'running' or (status = 'waiting' and run_at <= ?))
         + (select count(*) from runs where status = 'pending')
         + (select count(*) from runs where status = 'running' and lease_owner is not null) as n`,
      [new Date()],
    )
    return dispatches.length >= 12 && Number(open?.n) === 0
  }, 'all that can be done is done')
  return failed
}

/** What a feed shows beside questions: someone is mentioned, a budget is nearly used up; and something that was put aside. */
export async function fillFeed(app: TestApp, team: Team, word: string): Promise<void> {
  const { tenantId, adminId } = team
  const [waiting = '', another = ''] = await activities(app, team, `status = 'awaiting_approval'`)
  const [itemId = ''] = await activities(app, team, `status = 'failed'`)
  await team.member.call('dashboard', 'POST /activities/:activityId/comments', {
    params: { activityId: waiting },
    body: { text: `${word}? @human:${adminId}` },
  })
  const alert = [another, tenantId, 'activity', 80, 1_000_000, `${word} has used 80 %`, new Date()]
  await app.db.write((tx) =>
    tx.run(
      'insert into budget_alerts (cap_id, tenant_id, scope, level, limit_micros, message, raised_on) values (?, ?, ?, ?, ?, ?, ?)',
      alert,
    ),
  )
  const admin = app.clientFor(team.adminToken)
  await admin.call('dashboard', 'POST /feed/:itemId/dismiss', { params: { itemId } })
}

/** Ids of activities of a tenant. */
export const activities = (app: TestApp, team: Team, which: string) =>
  app.db.sql
    .all<{ id: string }>(`select id from activities where tenant_id = ? and ${which} order by id`, [
      team.tenantId,
    ])
    .then((rows) => rows.map(({ id }) => id))

/** Agents that stand still: one that is paused, and one that could not work. */
export async function holdAgents(app: TestApp, { tenantId, reviewer }: Team, why: string): Promise<void> {
  const params = { tenantId, agentRole: 'auditor' }
  await reviewer.call('dm', 'POST /agents/:tenantId/:agentRole/pause', { params, body: {} })
  await app.db.write((tx) =>
    tx.run(
      `update tenant_agents set status = 'error', last_error_at = ?, last_error_message = ? where tenant_id = ? and role = 'analyst'`,
      [new Date(), why, tenantId],
    ),
  )
}

/** Pauses the newest work of a tenant that is with an external runtime. */
export async function pauseLast(app: TestApp, team: Team): Promise<void> {
  const activityId = (await activities(app, team, `status = 'in_progress'`)).at(-1) ?? ''
  await team.reviewer.call('dm', 'POST /activities/:activityId/pause', { params: { activityId }, body: {} })
}

/** Ids of the rows of a tenant, oldest first. */
export async function idsOf(app: TestApp, table: string, tenantId: string): Promise<string[]> {
  const rows = await app.db.sql.all<{ id: string }>(
    `select id from ${table} where tenant_id = ? order by id`,
    [tenantId],
  )
  return rows.map(({ id }) => id)
}
