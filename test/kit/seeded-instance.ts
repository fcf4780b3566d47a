import { createIds, createSystemClock, type NewId } from '../../packages/core/src/platform/clock.ts'
import { createTestApp, password, signingKeys, type Team, type TestApp } from './app.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { mailsOf, type ReadMail, tokenIn } from './mail.ts'
import { beginConnect, connectChannel, createOAuthServer } from './oauth-server.ts'
import { keepRows } from './rows.ts'
import { createTestRuntime, type Dispatch } from './runtime.ts'
import { askForConsent, claimsIn, register, registerDevice } from './seeded-people.ts'
import {
  activities,
  addSuperAdmin,
  addTenant,
  addWebhook,
  busy,
  clientOf,
  configure,
  fillFeed,
  guest,
  holdAgents,
  idsOf,
  loseReport,
  order,
  pauseLast,
  type Tenant,
} from './seeded-work.ts'
import { createTestTokens, type TestTokens } from './test-tokens.ts'

/** Is contained in everything of the other tenant that can be read: no other tenant may ever get it. */
export const marker = 'Zanzibar'

/** A tenant with something of every kind. */
export interface SeededTenant extends Team {
  /** Of its admin. */
  email: string
  /** Of its admin's phone. */
  deviceId: string
  /** What an assistant wants to do in the name of its reviewer. */
  consentId: string
  /** Ids by table, oldest first. */
  ids: Readonly<Record<string, readonly string[]>>
  /** Runs that an external runtime has been given and has not answered. */
  atWork: readonly Dispatch[]
  /** Activities that have failed, and such that have an output. */
  failed: readonly string[]
  written: readonly string[]
  /** Activities in progress, of which the last is about to be paused. */
  inProgress: readonly string[]
}

/**
 * An installation at rest: nothing works in the background and the clock stands still, so that a row which differs was
 * changed by the request that is looked at.
 */
export interface SeededInstance extends AsyncDisposable {
  app: TestApp
  clock: TestClock
  tokens: TestTokens
  newId: NewId
  ours: SeededTenant
  theirs: SeededTenant
  /** A tenant that no one of the callers belongs to: it may be suspended. */
  spare: Tenant
  /** One that is suspended, and one whose admin is. */
  shut: Tenant
  leavers: Tenant
  /** One whose setup goes on: it has a subscription and an invoice. */
  customer: { tenantId: string; userId: string; invoiceId: string }
  superAdmin: { id: string; email: string; sessionId: string }
  registrations: readonly string[]
  /** How a type of piece is made, and work that is given again and again. */
  activityTemplate: string
  recurringTemplate: string
  /** Of a super-admin. */
  apiKey: string
  /** Of ours' admin. */
  ownKey: string
  /** Id of a key that no one uses. */
  spareKey: string
  /** Id of a source of models at whose address no one answers. */
  modelProvider: string
  /** Id of a skill of the installation. */
  globalSkill: string
  /** Of ours' admin. */
  refreshToken: string
  /** The token of a mailed link that no one has used. */
  invitation: string
  /** What a provider has sent someone of ours back with, who has not arrived. */
  callback: { code: string; state: string }
  /** The content of the token in a link for a new password, which is valid for an hour only. */
  resetRequest: { sub: string; jti: string }
  /** Puts all rows back. */
  reset(): Promise<void>
}

/** The member of ours, who has asked for a new password. */
const forgetful = 'member.0.ours@test.example'

/** A customer as an operator takes one on. */
export const newCustomer = {
  displayName: 'Customer',
  firstName: 'Carl',
  lastName: 'Customer',
  email: 'carl@customer.example',
  password,
  customPlanName: 'Own plan',
  customRegionId: 'US',
  customPrice: 1_000,
  customCycle: 'monthly',
} as const

const perTenant = [
  'blog_posts',
  'campaigns',
  'content_requests',
  'channel_connections',
  'deliverables',
  'activities',
  'approvals',
  'runs',
  'users',
  'outputs',
  'reports',
  'invitations',
  'skills',
  'goals',
  'documents',
  'webhooks',
  'webhook_deliveries',
]

/** @param changes as of `createTestApp` */
export async function createSeededInstance(
  changes: Parameters<typeof createTestApp>[0] = {},
): Promise<SeededInstance> {
  await using stack = new AsyncDisposableStack()
  const dispatches: Dispatch[] = []
  const runtime = stack.use(
    await createTestRuntime((dispatch) => {
      dispatches.push(dispatch)
      return 202
    }),
  )
  const clock = createTestClock(Date.now())
  const provider = stack.use(await createOAuthServer({ reusable: true }))
  const { channels } = provider
  const app = stack.use(
    await createTestApp({
      clock,
      worker: false,
      registration: 'open',
      channels,
      allowHosts: ['127.0.0.1'],
      writerPaceMs: 0,
      ...changes,
    }),
  )
  const ours = await app.team('Ours')
  const theirs = await app.team(marker)
  const [spare, shut, leavers] = [
    await addTenant(app, 'Spare'),
    await addTenant(app, 'Shut'),
    await addTenant(app, 'Leavers'),
  ]
  const { operator, ...superAdmin } = await addSuperAdmin(app)
  const customer = await operator.call('admin', 'POST /tenants', { body: newCustomer })
  await operator.call('admin', 'POST /tenants/:tenantId/billing/override', {
    params: { tenantId: customer.tenantId },
    body: { action: 'mark_paid', reason: 'A test' },
  })
  const reason = { body: { reason: 'A test' } }
  await operator.call('admin', 'POST /tenants/:tenantId/suspend', {
    params: { tenantId: shut.tenantId },
    ...reason,
  })
  await operator.call('admin', 'POST /users/:userId/suspend', {
    params: { userId: leavers.adminId },
    ...reason,
  })
  const { apiKeys, providers } = app.copydesk.asSystem()
  const { id: modelProvider } = await providers.create({
    name: 'Shelf',
    type: 'local',
    baseUrl: 'http://127.0.0.1:9/v1',
    models: [{ id: 'shelf-1', name: 'Shelf 1', availableOnPlans: ['pro'] }],
  })
  const templates = await operator.call('admin', 'GET /activity-templates')
  const recurring = await app.copydesk.asSystem().recurring.create({
    title: 'Weekly report',
    agentRole: 'analyst',
    cron: '0 9 * * 1',
    promptTemplate: 'Report to {{company}}',
    applyToTenants: 'specific',
    tenantIds: [spare.tenantId],
  })
  const { key: apiKey } = await apiKeys.create({ userId: superAdmin.id, name: 'Terminal' })
  const globalSkill = await configure(operator)
  const { key: ownKey } = await apiKeys.create({ userId: ours.adminId, name: 'Runtime' })
  const { id: spareKey } = await apiKeys.create({ userId: spare.adminId, name: 'Old key' })
  const worker = await app.another({ clock: createSystemClock(), worker: { concurrency: 8 } })
  // Through the worker's instance, which then need not poll.
  const door: TestApp = { ...app, copydesk: worker, clientFor: (token) => clientOf(worker, token) }
  await order(door, ours, 'Spring', runtime.url)
  await order(door, theirs, marker, runtime.url)
  await addWebhook(app, ours, 'ours')
  await addWebhook(app, theirs, marker)
  await door.clientFor().call('auth', 'POST /forgot-password', { body: { email: forgetful } })
  await connectChannel(app, provider, ours.adminToken)
  provider.account = marker
  await connectChannel(app, provider, theirs.adminToken)
  const failed = await busy(door, dispatches)
  await fillFeed(door, ours, 'Spring')
  await fillFeed(door, theirs, marker)
  for (const name of ['Spring', marker]) await loseReport(app, name)
  for (const team of [ours, theirs]) {
    await pauseLast(app, team)
    await holdAgents(app, team, team === theirs ? `${marker} is out of order` : 'Out of order')
  }
  const mails = await mailsOf(app)
  const linkFor = (to: string) => tokenIn(mails.find((mail) => mail.to.includes(to)) as ReadMail)
  const { sub, jti } = claimsIn<{ sub: string; jti: string }>(linkFor(forgetful))
  await worker.stop()
  clock.advance(Date.now() - clock.now() + 61_000)
  const registrations = await register(app)
  const { authUrl, state } = await beginConnect(app, ours.adminToken)
  const code = (await provider.consent(authUrl)).searchParams.get('code') ?? ''
  // They would expire under a test that moves the clock on.
  const late = new Date(clock.now() + 365 * 86_400_000)
  for (const table of ['approvals', 'connect_attempts', 'invitations', 'password_resets', 'sessions'])
    await app.db.write((tx) => tx.run(`update ${table} set expires_at = ?`, [late]))
  const sideOf = async (team: Team, email: string): Promise<SeededTenant> => ({
    ...team,
    ids: Object.fromEntries(
      await Promise.all(
        perTenant.map(async (table) => [table, await idsOf(app, table, team.tenantId)] as const),
      ),
    ),
    email,
    deviceId: await registerDevice(team.admin, team === theirs ? marker : '1.0'),
    consentId: await askForConsent(app, team, team === theirs ? marker : 'Spring'),
    failed: await activities(app, team, `status = 'failed'`),
    written: await activities(app, team, 'id in (select activity_id from outputs)'),
    inProgress: await activities(app, team, `status = 'in_progress'`),
    atWork: dispatches.filter(({ tenantId, taskId }) => tenantId === team.tenantId && !failed.has(taskId)),
  })
  const made = {
    ours: await sideOf(ours, 'admin.0.ours@test.example'),
    theirs: await sideOf(theirs, 'admin.0.zanzibar@test.example'),
  }
  for (const { admin } of [ours, theirs]) {
    const body = { ways: {}, quietHours: { from: '22:00', to: '07:00' } }
    await admin.call('tenant', 'PUT /notifications/preferences', { body })
  }
  // As if each had been told something there.
  await app.db.write((tx) =>
    tx.run(
      `insert into push_intents (notification_id, push_device_id, tenant_id, state, at)
       select n.id, d.id, n.tenant_id, 'sent', n.created_on from notifications n
         join push_devices d on d.user_id = n.user_id`,
    ),
  )
  const { refreshToken } = await app
    .clientFor()
    .call('auth', 'POST /login', { body: { email: made.ours.email, password, app: 'dashboard' } })
  const reset = await keepRows(app.db)
  const owned = stack.move()
  return {
    app,
    clock,
    tokens: createTestTokens({ signingKeys, clock }),
    newId: createIds(clock),
    ...made,
    spare,
    shut,
    leavers,
    customer,
    superAdmin,
    registrations,
    activityTemplate: templates.data[0]?.id ?? '',
    recurringTemplate: recurring.id,
    apiKey,
    ownKey,
    spareKey,
    modelProvider,
    globalSkill,
    refreshToken,
    invitation: linkFor(guest(ours)),
    callback: { code, state },
    resetRequest: { sub, jti },
    reset,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
