import type { Press } from '../../kit/publishing.ts'
import type { Agent } from '../../kit/runtime.ts'

type Action = 'content_review' | 'channel_action'

/** Approves what waits. @param edited the text that is approved in the place of the one that is shown */
export async function approve(press: Press, type: Action, edited?: string): Promise<void> {
  const query = { 'filter.status': 'pending', 'filter.type': type } as const
  const { data } = await press.admin.call('dashboard.approvals.list', { query })
  const params = { approvalId: data[0]?.id ?? '' }
  const body = { resolution: 'approved' as const, ...(edited !== undefined && { edited }) }
  await press.admin.call('dashboard.approvals.resolve', { params, body })
}

/** Orders a piece that is to go to some types of channels. */
export const order = (press: Press, type: 'social_post' | 'blog_post', platformIds: string[] = []) =>
  press.admin.call('dashboard.campaigns.create', {
    body: { name: 'Spring', brief: '# Oats', deliverables: [{ type, quantity: 1, platformIds }] },
  })

/** A text that was reviewed, and the agent that goes on with it. */
export async function reviewed(press: Press, text: string): Promise<Agent> {
  const writer = await press.next(press.clock)
  return again(press, writer, text)
}

/** A newer text by the same agent, reviewed as well. */
export async function again(press: Press, writer: Agent, text: string): Promise<Agent> {
  await writer.deliver(text)
  await approve(press, 'content_review')
  return press.next(press.clock)
}

/** Asks people whether the text is to be published. */
export const ask = (agent: Agent, { isWaitedFor }: { isWaitedFor: boolean } = { isWaitedFor: true }) =>
  agent.call('POST /runs/:runId/actions/create-approval', {
    type: 'channel_action',
    title: 'Publish it?',
    blockCurrentActivity: isWaitedFor,
  })
