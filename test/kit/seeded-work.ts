import { type Client, createClient } from '@copydesk/client'
import type { Copydesk } from '@copydesk/core'
import { ulid } from 'ulid'
import type { Role } from '../../packages/core/src/kernel/context.ts'
import { brief, password, type Team, type TestApp } from './app.ts'
import { agentOf, type Dispatch } from './runtime.ts'
import { prepareCampaign, waitForClient } from './seeded-campaigns.ts'
import { configureOwn } from './seeded-settings.ts'

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
  await waitForClient(team.member, name)
  await prepareCampaign(team.member, name)
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
