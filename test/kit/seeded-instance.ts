import { createIds, createSystemClock, type NewId } from '../../packages/core/src/platform/clock.ts'
import { serveAds } from './ads.ts'
import { createTestApp, password, signingKeys, type TestApp } from './app.ts'
import { mailSecret } from './bounces.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { beginConnect, connectChannel } from './consents.ts'
import { mailsOf, type ReadMail, tokenIn } from './mail.ts'
import { createOAuthServer } from './oauth-server.ts'
import { keepRows } from './rows.ts'
import { createTestRuntime, type Dispatch } from './runtime.ts'
import { addAds } from './seeded-ads.ts'
import { addMailings } from './seeded-mailings.ts'
import { seedOperation } from './seeded-operation.ts'
import { addOutreach } from './seeded-outreach.ts'
import { claimsIn, register } from './seeded-people.ts'
import { addPublications } from './seeded-publications.ts'
import { addSequence } from './seeded-sequences.ts'
import { type SeededTenant, seededTenant } from './seeded-tenant.ts'
import {
  addSuperAdmin,
  addTenant,
  addWebhook,
  busy,
  clientOf,
  fillFeed,
  guest,
  holdAgents,
  loseReport,
  order,
  pauseLast,
  type Tenant,
} from './seeded-work.ts'
import { subscribe, trustedPayments } from './subscriptions.ts'
import { createTestTokens, type TestTokens } from './test-tokens.ts'
import { createWordPressServer, type WordPressServer } from './wordpress-server.ts'

/** Is contained in everything of the other tenant that can be read: no other tenant may ever get it. */
export const marker = 'Zanzibar'

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
  /** Id of an e-mail template that has been changed. */
  emailTemplate: string
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
  /** A website that is not connected, and who may publish there. */
  website: Pick<WordPressServer, 'url' | 'login'>
  /** A web page that agents can read. */
  page: string
  /** Puts all rows back. */
  reset(): Promise<void>
}

/** The member of ours, who has asked for a new password. */
const forgetful = 'member.0.ours@test.example'

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
  const website = stack.use(await createWordPressServer())
  // WordPress.com is at the same address, and opens two sites.
  website.accepts = () => true
  website.sites = [55, 56]
  const ads = await serveAds(provider, 'seeded')
  stack.use(ads.google)
  const channels = {
    ...ads.channels,
    cms_site: { ...provider.channels.cms_site, baseUrl: website.url },
  }
  const app = stack.use(
    await createTestApp({
      clock,
      worker: false,
      registration: 'open',
      channels,
      allowHosts: ['127.0.0.1'],
      writerPaceMs: 0,
      payments: trustedPayments,
      mail: { webhookSecrets: [mailSecret] },
      ...changes,
    }),
  )
  const ours = await app.team('Ours')
  const theirs = await app.team(marker)
  for (const { tenantId } of [ours, theirs]) await subscribe(app, tenantId)
  const [spare, shut, leavers] = [
    await addTenant(app, 'Spare'),
    await addTenant(app, 'Shut'),
    await addTenant(app, 'Leavers'),
  ]
  const { operator, ...superAdmin } = await addSuperAdmin(app)
  const tenants = { ours, spare, shut, leavers, superAdminId: superAdmin.id }
  const operation = await seedOperation(app, operator, tenants)
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
  await addPublications(app, ours, 'Spring')
  await addPublications(app, theirs, marker)
  await addAds(app, ours, 'Spring')
  await addAds(app, theirs, marker)
  await addSequence(app, ours, 'Spring')
  await addSequence(app, theirs, marker)
  await addOutreach(app, ours, 'Spring')
  await addOutreach(app, theirs, marker)
  await addMailings(app, ours, 'Spring')
  await addMailings(app, theirs, marker)
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
  for (const table of [
    'approvals',
    'channel_connections',
    'connect_attempts',
    'invitations',
    'password_resets',
    'sessions',
  ])
    await app.db.write((tx) => tx.run(`update ${table} set expires_at = ?`, [late]))
  const has = { dispatches, failed }
  const made = {
    ours: await seededTenant(app, ours, {
      ...has,
      email: 'admin.0.ours@test.example',
      word: 'Spring',
      appVersion: '1.0',
    }),
    theirs: await seededTenant(app, theirs, {
      ...has,
      email: 'admin.0.zanzibar@test.example',
      word: marker,
      appVersion: marker,
    }),
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
    ...operation,
    superAdmin,
    registrations,
    refreshToken,
    website,
    page: new URL('/page', runtime.url).href,
    invitation: linkFor(guest(ours)),
    callback: { code, state },
    resetRequest: { sub, jti },
    reset,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
