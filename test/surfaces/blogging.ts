import type { Reply } from '@copydesk/client'
import { expect } from 'vitest'
import type { TestClock } from '../kit/clock.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../kit/runtime.ts'

export const article = (title: string, more = '') =>
  `# ${title}\n\nOats keep you full **until noon**. [Find a shop](https://shop.example)${more}\n\nMeta description: Why oats last.\n`

export interface Newsroom extends AgentHarness {
  /** The activity that writes the post, and the run that wrote the first version of it. */
  activityId: string
  /** The only post. */
  post(): Promise<Reply<'dm', 'GET /blog'>['data'][number]>
  read(): Promise<Reply<'dm', 'GET /blog/:id'>>
  approve(contentHash?: string): Promise<Reply<'dm', 'POST /blog/:id/dm-approve'>>
  reject(feedback: string): Promise<Reply<'dm', 'POST /blog/:id/dm-reject'>>
  /** Approvals of the post's activity in the order in which they were asked for. */
  approvals(): Promise<Approval[]>
  /** The client's, or anybody's, verdict on an approval. */
  resolve(approvalId: string, body: Verdict, who?: 'admin' | 'reviewer'): Promise<unknown>
  /** The writer's next turn. */
  writer(): Promise<Agent>
}

interface Approval {
  id: string
  status: string
  resolution: string | null
  forwarded_from: string | null
  forwarded_to: string | null
  content_hash: string
}

type Verdict = { resolution: 'approved' | 'rejected' | 'revision_requested'; note?: string }

/** A harness whose writer has delivered the first version of a blog post. */
export async function openNewsroom(clock?: TestClock, text = article('Why oats')): Promise<Newsroom> {
  const harness = await createAgentHarness(clock ? { clock } : {})
  const researcher = await harness.order('blog_post')
  await researcher.deliver('Facts about oats')
  const writer = await harness.next(clock)
  await writer.deliver(text)
  const { id: activityId } = await harness.activityOf(writer.runId)
  const { tenantId, reviewer } = harness.team
  const post = async () => {
    const { data } = await reviewer.call('dm', 'GET /blog', { query: { tenantId } })
    expect(data).toHaveLength(1)
    return data[0] as (typeof data)[number]
  }
  const params = async () => ({ id: (await post()).id })
  return {
    ...harness,
    activityId,
    post,
    read: async () => reviewer.call('dm', 'GET /blog/:id', { params: await params() }),
    approve: async (contentHash) =>
      reviewer.call('dm', 'POST /blog/:id/dm-approve', {
        params: await params(),
        query: contentHash === undefined ? {} : { contentHash },
      }),
    reject: async (feedback) =>
      reviewer.call('dm', 'POST /blog/:id/dm-reject', { params: await params(), body: { feedback } }),
    approvals: () =>
      harness.app.db.sql.all<Approval>(
        `select a.* from approvals a join approval_links l on l.approval_id = a.id where l.activity_id = ? order by a.id`,
        [activityId],
      ),
    resolve: (approvalId, body, who = 'admin') =>
      who === 'admin'
        ? harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
            params: { approvalId },
            body,
          })
        : reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params: { approvalId }, body }),
    writer: () => harness.next(clock),
  }
}
