import { serveAds } from './ads.ts'
import { createTestApp, password, type Team, type TestApp } from './app.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { connectChannel } from './consents.ts'
import { createOAuthServer } from './oauth-server.ts'
import { type Agent, agentOf, createTestRuntime, type Dispatch, type TestRuntime } from './runtime.ts'
import { addAds } from './seeded-ads.ts'
import { addMailings } from './seeded-mailings.ts'
import { addOutreach } from './seeded-outreach.ts'
import { askForConsent, registerDevice } from './seeded-people.ts'
import { addPublications } from './seeded-publications.ts'
import { addSequence } from './seeded-sequences.ts'
import { configureOwn } from './seeded-settings.ts'
import { addWebhook, idsOf, reportOn } from './seeded-work.ts'
import { subscribe } from './subscriptions.ts'
import { lastingTokens } from './test-tokens.ts'
import { fillWithWork } from './two-tenants-work.ts'

/** The kinds of callers that belong to one tenant. */
export const callerKinds = ['admin', 'member', 'reviewer', 'agent'] as const
export type CallerKind = (typeof callerKinds)[number]
/** Also a program with a key of the tenant's admin, which few endpoints accept. */
export const knockers = [...callerKinds, 'key'] as const
export type IsolationCaller = (typeof knockers)[number]

/** A tenant in the middle of its work, with something of everything. */
export interface ComparedTenant extends Team {
  /** Is contained in every text of the tenant, and in no other. */
  word: string
  /** A token of each kind of caller; the agent's is that of the open run. */
  tokens: Record<IsolationCaller, string>
  /** An id of its own for each name under which endpoints take one. */
  ids: Record<string, string>
  /** The agent of the run that is open, and the activity that it works on. */
  agent: Agent
  openActivityId: string
  /** Everything that external runtimes were given to do for the tenant. */
  dispatches: Dispatch[]
}

export interface TwoTenants extends AsyncDisposable {
  app: TestApp
  clock: TestClock
  /** Takes the work of all of them. */
  runtime: TestRuntime
  /** Those that are set up. */
  twins: readonly ComparedTenant[]
  /** Sets up the next tenant: the same name, the same people, the same work as the others, but for its word. */
  twin(word: string): Promise<ComparedTenant>
}

/** An instance whose clock stands still and whose agents are played by the test, for tenants of the same shape. */
export async function createTwoTenants(): Promise<TwoTenants> {
  await using stack = new AsyncDisposableStack()
  const clock = createTestClock()
  const runtime = stack.use(await createTestRuntime())
  const provider = stack.use(await createOAuthServer())
  const { google, channels } = await serveAds(provider, 'seeded')
  stack.use(google)
  const app = stack.use(await createTestApp({ clock, allowHosts: ['127.0.0.1'], channels }))
  const twins: ComparedTenant[] = []
  const owned = stack.move()

  const next = async (dispatches: Dispatch[]): Promise<Agent> => {
    await app.until(async () => {
      if (runtime.waiting === 0) clock.advance(100)
      return runtime.waiting > 0
    }, 'work is dispatched')
    const dispatch = await runtime.next()
    dispatches.push(dispatch)
    return agentOf(app, dispatch)
  }
  const logIn = async (who: string, to: 'dashboard' | 'dm-portal') => {
    const email = `${who}.${twins.length + 1}.tenant-${twins.length + 1}@test.example`
    return (await app.clientFor().call('auth', 'POST /login', { body: { email, password, app: to } }))
      .accessToken
  }

  return {
    app,
    clock,
    runtime,
    twins,
    async twin(word) {
      const team = await app.team()
      await app.db.write((tx) => tx.run('update tenants set name = ? where id = ?', ['Twin', team.tenantId]))
      await giveToRuntime(app, team, runtime.url)
      const skillId = await configureOwn(team.admin, `A tone like ${word}`)
      const dispatches: Dispatch[] = []
      const work = await fillWithWork(team, word, () => next(dispatches))
      provider.account = `${word}@channels.example`
      const hook = await addWebhook(app, team, word)
      const { data: assets } = await team.admin.call('media', 'GET /assets')
      const { data: documents } = await team.admin.call('tenant', 'GET /documents')
      const knowledge = await knowledgeOf(team)
      const { data: conversations } = await team.admin.call('dashboard', 'GET /chat/conversations')
      const { data: leads } = await team.admin.call('dashboard', 'GET /leads')
      const { data: goals } = await team.admin.call('tenant', 'GET /goals')
      await connectChannel(app, provider, team.adminToken)
      await connectChannel(app, provider, team.adminToken, 'cms_site')
      const publicationId = await addPublications(app, team, word)
      const { data: channels } = await team.admin.call('dashboard', 'GET /channels')
      const body = reportOn(team.tenantId, `On ${word}`)
      const { reportId } = await team.reviewer.call('dm', 'POST /reports', { body })
      const invoiceId = await subscribe(app, team.tenantId)
      const deviceId = await registerDevice(team.admin, word)
      const sequence = await addSequence(app, team, word, work.ids.campaignId)
      await addOutreach(app, team, word, work.ids.campaignId)
      const { mailingId } = await addMailings(app, team, word, work.ids.campaignId)
      const key = await app.copydesk.asSystem().apiKeys.create({ userId: team.adminId, name: 'Program' })
      // Text that was written live is stored in batches, and a run is let go of once its runtime has answered.
      clock.advance(200)
      await app.until(async () => !(await app.db.sql.get(unsettled)), 'everything is settled')
      const twin: ComparedTenant = {
        ...team,
        ...work,
        ids: {
          ...work.ids,
          channelId: channels[0]?.id ?? '',
          skillId,
          ...hook,
          reportId,
          goalId: goals[0]?.id ?? '',
          leadId: leads[0]?.id ?? '',
          invoiceId,
          formId: (await idsOf(app, 'lead_forms', team.tenantId))[0] ?? '',
          importId: (await idsOf(app, 'lead_imports', team.tenantId))[0] ?? '',
          documentId: documents[0]?.id ?? '',
          assetId: assets[0]?.id ?? '',
          ...knowledge,
          conversationId: conversations[0]?.id ?? '',
          deviceId,
          publicationId,
          ...(await addAds(app, team, word)),
          ...sequence,
          mailingId,
          'consents id': await askForConsent(app, team, word),
        },
        word,
        dispatches,
        tokens: lastingTokens(clock, {
          admin: team.adminToken,
          member: await logIn('member', 'dashboard'),
          reviewer: await logIn('reviewer', 'dm-portal'),
          agent: work.agent.dispatch.taskToken,
          key: key.key,
        }),
      }
      twins.push(twin)
      return twin
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** A dataset with a file, and a crawl that waits. */
async function knowledgeOf({ admin }: Team) {
  const { data } = await admin.call('dashboard', 'GET /knowledge-base/datasets')
  const datasetId = data[0]?.id ?? ''
  const params = { datasetId }
  const { files } = await admin.call('dashboard', 'GET /knowledge-base/datasets/:datasetId', { params })
  const { lastCrawl } = await admin.call('dashboard', 'GET /knowledge-base/datasets/:datasetId/crawl', {
    params,
  })
  return { datasetId, datasetIds: datasetId, fileId: files[0]?.id ?? '', crawlJobId: lastCrawl?.id ?? '' }
}

const unsettled = `select id from runs where lease_owner is not null
  union all select id from reports where status = 'generating'
  union all select id from job where status in ('waiting', 'running') and kind in ('knowledge.keep_piece', 'knowledge.ingest', 'mail.billing')
  union all select id from lead_imports where status = 'processing'
  union all select id from knowledge_files where status <> 'indexed' limit 1`

async function giveToRuntime(app: TestApp, { tenantId }: Team, webhookUrl: string) {
  const { agents } = app.copydesk.asSystem({ tenantId })
  for (const role of ['social_writer', 'researcher', 'blog_writer'])
    await agents.configure(role, {
      adapterType: 'adapter_b',
      concurrency: 10,
      adapterConfig: { webhookUrl },
      toolNames: ['web_read'],
    })
}
