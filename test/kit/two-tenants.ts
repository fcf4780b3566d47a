import { brief, createTestApp, password, type Team, type TestApp } from './app.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { connectChannel, createOAuthServer } from './oauth-server.ts'
import { type Agent, agentOf, createTestRuntime, type Dispatch, type TestRuntime } from './runtime.ts'
import { askForConsent, registerDevice } from './seeded-people.ts'
import { addWebhook, configureOwn, idsOf, reportOn } from './seeded-work.ts'

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
  const app = stack.use(
    await createTestApp({ clock, allowHosts: ['127.0.0.1'], channels: provider.channels }),
  )
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
    const number = twins.length + 1
    const body = { email: `${who}.${number}.tenant-${number}@test.example`, password, app: to }
    return (await app.clientFor().call('auth', 'POST /login', { body })).accessToken
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
      const { data: documents } = await team.admin.call('tenant', 'GET /documents')
      const knowledge = await knowledgeOf(team)
      const { data: conversations } = await team.admin.call('dashboard', 'GET /chat/conversations')
      const { data: leads } = await team.admin.call('dashboard', 'GET /leads')
      const { data: goals } = await team.admin.call('tenant', 'GET /goals')
      await connectChannel(app, provider, team.adminToken, 'cms_site')
      const { data: channels } = await team.admin.call('dashboard', 'GET /channels')
      const body = reportOn(team.tenantId, `On ${word}`)
      const { reportId } = await team.reviewer.call('dm', 'POST /reports', { body })
      const deviceId = await registerDevice(team.admin, word)
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
          importId: (await idsOf(app, 'lead_imports', team.tenantId))[0] ?? '',
          documentId: documents[0]?.id ?? '',
          ...knowledge,
          conversationId: conversations[0]?.id ?? '',
          deviceId,
          'consents id': await askForConsent(app, team, word),
        },
        word,
        dispatches,
        tokens: {
          admin: team.adminToken,
          member: await logIn('member', 'dashboard'),
          reviewer: await logIn('reviewer', 'dm-portal'),
          agent: work.agent.dispatch.taskToken,
          key: key.key,
        },
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
  union all select id from job where status in ('waiting', 'running') and kind in ('knowledge.keep_piece', 'knowledge.ingest')
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

/** Four pieces: one that waits for a verdict on its second version, one approved, one failed, and one in progress. */
async function fillWithWork(team: Team, word: string, next: () => Promise<Agent>) {
  const { admin, member, reviewer, adminId, tenantId } = team
  const { id: campaignId } = await admin.call('dashboard', 'POST /campaigns', {
    body: {
      name: 'Spring',
      brief: `${brief}\n\nOur word is ${word}.`,
      deliverables: [{ type: 'social_post', quantity: 4 }],
    },
  })
  const agents = [await next(), await next(), await next(), await next()]
  const [revised, approved, failed, atWork] = agents as [Agent, Agent, Agent, Agent]
  const activityOf = async ({ call }: Agent) => (await call('GET /runs/:runId/context')).activityId
  const activityId = await activityOf(revised)
  const openActivityId = await activityOf(atWork)

  await revised.call('POST /runs/:runId/actions/add-comment', { text: `${word}, @human:${adminId}` })
  await revised.deliver(`The first ${word}`)
  await resolveNewest(team, { resolution: 'revision_requested', note: `More ${word}` })
  await (await next()).deliver(`The second ${word}`)

  await approved.deliver(`Another ${word}`)
  await resolveNewest(team, { resolution: 'approved', note: `Good ${word}` })
  await (await next()).call('POST /runs/:runId/result', {
    status: 'success',
    metadata: { nothingToDo: true },
  })

  await failed.fail(`No ${word} left`, { family: 'invalid' })

  await atWork.call('POST /runs/:runId/tool-call', {
    toolName: 'look_up',
    method: 'call',
    input: { word },
    output: { word },
    status: 'success',
    durationMs: 5,
    costUsd: 0.25,
  })
  await atWork.call('POST /runs/:runId/stream', { delta: `Once upon a ${word}`, sequenceNum: 0 })
  await atWork.call('POST /runs/:runId/actions/create-approval', {
    title: `Which ${word}?`,
    type: 'channel_action',
    description: `One ${word} of two`,
    options: [`${word} one`, `${word} two`],
    linkedActivityIds: [activityId],
    blockCurrentActivity: false,
  })
  await atWork.call('POST /runs/:runId/actions/create-subtask', {
    title: `Find ${word}`,
    agentRole: 'researcher',
    prompt: `Find out about ${word}`,
    blocking: false,
  })
  await (await next()).deliver(`What is known of ${word}`)
  await member.call('dashboard', 'POST /activities/:activityId/comments', {
    params: { activityId },
    body: { text: `I like ${word}` },
  })

  await writePost(team, word, next)
  const { data: posts } = await reviewer.call('dm', 'GET /blog', { query: { tenantId } })
  const { data: deliverables } = await admin.call('dashboard', 'GET /campaigns/:campaignId/deliverables', {
    params: { campaignId },
  })
  const { data: approvals } = await reviewer.call('dm', 'GET /approvals', {
    query: { 'filter.status': 'pending', 'filter.type': 'content_review' },
  })
  const { data: questions } = await reviewer.call('dm', 'GET /approvals', {
    query: { 'filter.status': 'pending', 'filter.type': 'channel_action' },
  })
  const ids = {
    tenantId,
    campaignId,
    campaignIds: campaignId,
    activityId,
    linkedActivityIds: activityId,
    deliverableId: deliverables[0]?.id ?? '',
    approvalId: approvals[0]?.id ?? '',
    approvalIds: approvals[0]?.id ?? '',
    // No one decides on it, so that it stays in every list.
    itemId: questions[0]?.id ?? '',
    cursor: questions[0]?.id ?? '',
    runId: atWork.runId,
    activityRunId: atWork.runId,
    toUserId: adminId,
    assignedTo: adminId,
    assigneeId: adminId,
    principalId: adminId,
    userId: adminId,
    toId: adminId,
    'blog id': posts[0]?.id ?? '',
    // As the terminal names them.
    ids: approvals[0]?.id ?? '',
    'activities id': activityId,
    'approvals id': approvals[0]?.id ?? '',
    'feed id': questions[0]?.id ?? '',
  }
  return { ids, openActivityId, agent: atWork }
}

/** A blog post that waits for review, and what people want to read next. */
async function writePost({ admin, member }: Team, word: string, next: () => Promise<Agent>): Promise<void> {
  await admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Blog', brief: word, deliverables: [{ type: 'blog_post', quantity: 1 }] },
  })
  await (await next()).deliver(`What ${word} is`)
  await (await next()).deliver(`# On ${word}\n\nMeta description: All about ${word}.`)
  const body = { topic: `More ${word}`, brief: `Everything on ${word}` }
  await member.call('dashboard', 'POST /blog-requests', { body })
  await member.call('dashboard', 'POST /social-requests', { body: { ...body, platforms: ['photo_network'] } })
}

async function resolveNewest(
  { reviewer }: Team,
  body: { resolution: 'approved' | 'revision_requested'; note: string },
) {
  const query = { 'filter.status': 'pending', sortBy: 'created_on' } as const
  const { data } = await reviewer.call('dm', 'GET /approvals', { query })
  const params = { approvalId: data[0]?.id ?? '' }
  await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params, body })
}
