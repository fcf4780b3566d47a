import type { Reply } from '@copydesk/client'
import { row, type StyledLine, span } from '../render/row.ts'
import { UsageError } from './invocation.ts'
import { type OperationContext, operation } from './operation.ts'

export type WorkflowCampaign = Reply<'tenant', 'GET /campaigns/:campaignId'>
export type WorkflowStatus = WorkflowCampaign['status']

const states = {
  draft: true,
  dm_review: true,
  client_review: true,
  client_approved: true,
  active: true,
  paused: true,
  completed: true,
  archived: true,
} as const satisfies Record<WorkflowStatus, true>
/** The statuses of a campaign, those of its review included. */
export const workflowStatuses = Object.keys(states) as WorkflowStatus[]

const id = { kind: 'argument', required: true, summary: 'id of the campaign', completes: 'campaign' } as const

export const campaignBrief = operation({
  name: 'campaign brief',
  summary: 'have the brief of a campaign written, which is then reviewed by the team',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: {
    id,
    for: {
      kind: 'text',
      value: 'people',
      required: true,
      summary: 'the target audience, in your own words',
    },
  },
  examples: ['campaign brief 01J9ZX6T4QH8C3V5N7M2K0B1AD --for "Families who buy bread for the week"'],
  run: async (context, { id: campaignId, for: targetAudienceDescription }) => ({
    campaignId,
    ...(await context.client.call('tenant', 'POST /campaigns/:campaignId/generate-brief', {
      params: { campaignId },
      body: { targetAudienceDescription },
    })),
  }),
  print: ({ campaignId, activityId }) => [
    row(span('✔ ', 'good'), 'The brief is being written, as activity ', span(activityId, 'accent')),
    row(span(`When it is done, the campaign is in dm_review: campaign status ${campaignId}`, 'dim')),
  ],
})

export const campaignStatus = operation({
  name: 'campaign status',
  summary:
    'show the status of a campaign in its review, or set it; a reviewer approves by client_approved and sends back by dm_review; needs a login with a password',
  effect: 'steers',
  audience: ['staff', 'admin', 'member'],
  needsLogin: true,
  params: {
    id,
    status: { kind: 'argument', required: false, summary: `one of ${workflowStatuses.join(', ')}` },
    note: { kind: 'text', value: 'text', summary: 'why' },
  },
  examples: [
    'campaign status 01J9ZX6T4QH8C3V5N7M2K0B1AD',
    'campaign status 01J9ZX6T4QH8C3V5N7M2K0B1AD client_review',
    'campaign status 01J9ZX6T4QH8C3V5N7M2K0B1AD dm_review --note "Less about price"',
  ],
  run: (context, { id: campaignId, status, note }) =>
    status === undefined ? readReview(context, campaignId) : set(context, campaignId, statusOf(status), note),
  print: campaignReview,
})

/** @throws UsageError that names the statuses */
function statusOf(word: string): WorkflowStatus {
  const known = workflowStatuses.find((each) => each === word)
  if (known) return known
  throw new UsageError(`“${word}” is no status of a campaign; use one of ${workflowStatuses.join(', ')}.`)
}

/** Whether a reviewer or super-admin asks, whose campaigns are those of several tenants. */
export const isStaff = ({ audience = 'staff' }: OperationContext) => audience === 'staff'

/** A campaign with its brief and how far its review is, as staff or a tenant may see it. */
export function readReview(context: OperationContext, campaignId: string): Promise<WorkflowCampaign> {
  const params = { campaignId }
  return isStaff(context)
    ? context.client.call('dm', 'GET /campaigns/:campaignId', { params })
    : context.client.call('tenant', 'GET /campaigns/:campaignId', { params })
}

async function set(
  context: OperationContext,
  campaignId: string,
  status: WorkflowStatus,
  note: string | undefined,
): Promise<WorkflowCampaign> {
  const { client } = context
  const params = { campaignId }
  const said = note === undefined ? {} : { note }
  if (!isStaff(context))
    return client.call('tenant', 'PATCH /campaigns/:campaignId/status', { params, body: { status, ...said } })
  // Of the tenants of a reviewer, the one that the campaign belongs to.
  const { tenantId } = await client.call('dm', 'GET /campaigns/:campaignId', { params })
  if (status === 'client_approved' || status === 'dm_review')
    return client.call('tenant', 'POST /campaigns/:campaignId/approve', {
      params,
      query: { tenantId },
      body: { approved: status === 'client_approved', ...said },
    })
  return client.call('tenant', 'PATCH /campaigns/:campaignId/status', {
    params,
    query: { tenantId },
    body: { status, ...said },
  })
}

/** The state of a campaign in its review in a few lines, with its brief. */
export function campaignReview(campaign: WorkflowCampaign): StyledLine[] {
  const { id, name, type, status, goal, statusNote, brief, audience } = campaign
  const about = [type.replaceAll('_', ' '), goal].filter(Boolean).join(', ')
  return [
    row(span(name, 'strong'), span(`  ${id}`, 'accent')),
    row(span(status, status === 'active' ? 'good' : 'warn'), span(`  ${about}`, 'dim')),
    ...(statusNote ? [row(`“${statusNote}”`)] : []),
    row(
      span(
        audience.length === 0 ? 'No audience yet.' : `For ${audience.map((one) => one.name).join(', ')}`,
        'dim',
      ),
    ),
    row(''),
    ...(brief === null ? [row(span('No brief yet.', 'dim'))] : brief.split('\n').map((line) => row(line))),
  ]
}
