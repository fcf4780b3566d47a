import { brief, type Team } from './app.ts'
import type { Agent } from './runtime.ts'
import { prepareCampaign, waitForClient } from './seeded-campaigns.ts'

/** Four pieces: one that waits for a verdict on its second version, one approved, one failed, and one in progress. */
export async function fillWithWork(team: Team, word: string, next: () => Promise<Agent>) {
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
  await waitForClient(member, word)
  const { segmentId } = await prepareCampaign(member, word)
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
    segmentId,
    deliverableId: deliverables[0]?.id ?? '',
    deliverablePeriodId: deliverables[0]?.periods[0]?.id ?? '',
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
