import { tenantNaming } from '../account/tenant-named.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { UsageError } from './invocation.ts'
import { type OperationContext, operation } from './operation.ts'
import { onlyTenant } from './paging.ts'
import { activityRow } from './show-rows.ts'

const activity = {
  kind: 'argument',
  required: true,
  summary: 'id of the activity',
  completes: 'activity',
} as const
const target = {
  kind: 'argument',
  required: true,
  summary: 'id of an activity, or the role of an agent',
  completes: 'role',
} as const
const whose = {
  ...onlyTenant,
  summary: `the agent's tenant: ${tenantNaming}; not needed when you have only one`,
} as const
const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

const needsTenant = ({ target: named }: Aim) => !ulid.test(named)

interface Aim {
  target: string
  tenant?: string | undefined
}

/**
 * The path parameters of an agent; undefined when an activity is meant. @throws UsageError for an agent
 * without its tenant
 */
function agentMeant({ target: named, tenant }: Aim): { tenantId: string; agentRole: string } | undefined {
  if (ulid.test(named)) return undefined
  if (tenant === undefined)
    throw new UsageError(`Which tenant's ${named}? Name the tenant with --tenant`, 'tenant')
  return { tenantId: tenant, agentRole: named }
}

/** @throws UsageError, ApiError `NOT_FOUND` */
async function meant(context: OperationContext, aim: Aim): Promise<StyledLine[]> {
  const params = agentMeant(aim)
  if (!params) return [await activityRow(context, aim.target)]
  const { role, tenantName, status } = await context.client.call('cli', 'GET /agents/:tenantId/:agentRole', {
    params,
  })
  return [row(span(role, 'strong'), ` of ${tenantName}, ${status}`)]
}

export const pause = operation({
  name: 'pause',
  summary: 'pause an activity or an agent; the current run finishes first',
  effect: 'steers',
  params: { target, tenant: whose, reason: { kind: 'text', value: 'text', summary: 'why' } },
  examples: [
    'pause 01J9ZX6T4QH8C3V5N7M2K0B1AD',
    'pause blog_writer --tenant 01J9ZX6T4QH8C3V5N7M2K0B1AD --reason "Off brand"',
  ],
  run: async (context, { reason, ...aim }) => {
    const params = agentMeant(aim)
    const body = reason === undefined ? {} : { reason }
    return params
      ? context.client.call('cli', 'POST /agents/:tenantId/:agentRole/pause', { params, body })
      : context.client.call('cli', 'POST /activities/:id/pause', { params: { id: aim.target }, body })
  },
  print: (paused) => [
    'role' in paused
      ? row(span('✔ ', 'good'), `${paused.role} of ${paused.tenantName} is ${paused.status}`)
      : row(span('✔ ', 'good'), `${paused.activityId} is pausing`),
  ],
  preview: (context, input) => meant(context, input),
  needsTenant,
  undo: (input) => ({ name: 'resume', input: aimOf(input) }),
})

export const resume = operation({
  name: 'resume',
  summary: 'resume a paused activity or agent',
  effect: 'steers',
  params: {
    target,
    tenant: whose,
    note: { kind: 'text', value: 'text', summary: 'note for the agent of an activity' },
  },
  examples: ['resume 01J9ZX6T4QH8C3V5N7M2K0B1AD', 'resume blog_writer --tenant 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: async (context, { note, ...aim }) => {
    const params = agentMeant(aim)
    if (params && note !== undefined) throw new UsageError('An agent is resumed without --note', 'note')
    return params
      ? context.client.call('cli', 'POST /agents/:tenantId/:agentRole/resume', { params })
      : context.client.call('cli', 'POST /activities/:id/resume', {
          params: { id: aim.target },
          body: note === undefined ? {} : { note },
        })
  },
  print: (resumed) => [
    'role' in resumed
      ? row(span('✔ ', 'good'), `${resumed.role} of ${resumed.tenantName} is ${resumed.status}`)
      : row(span('✔ ', 'good'), `${resumed.activityId} continues with run ${resumed.runId}`),
  ],
  preview: (context, input) => meant(context, input),
  needsTenant,
  undo: (input) => ({ name: 'pause', input: aimOf(input) }),
})

const aimOf = ({ target: named, tenant }: Aim) => ({ target: named, ...(tenant !== undefined && { tenant }) })

export const retry = operation({
  name: 'retry',
  summary: 'retry a failed activity with a new run, which has a cost',
  effect: 'decides',
  audience: ['staff', 'admin'],
  params: { id: activity },
  examples: ['retry 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (context, input) => context.client.call('cli', 'POST /activities/:id/retry', { params: input }),
  print: ({ activityId, runId }) => [row(span('✔ ', 'good'), `${activityId} is retried by run ${runId}`)],
  preview: async (context, { id }) => [await activityRow(context, id)],
})

export const cancel = operation({
  name: 'cancel',
  summary: 'cancel an activity for good, with the activities that depend on it',
  effect: 'decides',
  params: {
    id: activity,
    reason: { kind: 'text', value: 'text', required: true, summary: 'the reason; people read it' },
  },
  examples: ['cancel 01J9ZX6T4QH8C3V5N7M2K0B1AD --reason "The offer has ended"'],
  run: (context, { id, reason }) =>
    context.client.call('cli', 'POST /activities/:id/cancel', { params: { id }, body: { reason } }),
  print: ({ activityId, alsoCancelled }) => [
    row(span('✔ ', 'good'), `${activityId} is cancelled`),
    ...alsoCancelled.map((id) => row(`  also cancelled: ${id}`)),
  ],
  preview: async (context, { id }) => {
    const { subtasks } = await context.client.call('cli', 'GET /activities/:id', { params: { id } })
    return [
      await activityRow(context, id),
      ...subtasks.map((subtask) => row(`  also cancelled: ${subtask.title}`)),
    ]
  },
})

export const comment = operation({
  name: 'comment',
  summary: 'comment on an activity; @agent:role wakes an agent',
  effect: 'steers',
  audience: ['staff', 'admin', 'member'],
  params: { id: activity, text: { kind: 'argument', required: true, summary: 'the text of the comment' } },
  examples: ['comment 01J9ZX6T4QH8C3V5N7M2K0B1AD "Please name the price"'],
  run: (context, { id, text }) =>
    context.client.call('cli', 'POST /activities/:id/comments', { params: { id }, body: { text } }),
  print: ({ mentions }) => [
    row(
      span('✔ ', 'good'),
      'said',
      mentions.length > 0 ? ` to ${mentions.map(({ name }) => name).join(', ')}` : '',
    ),
  ],
  preview: async (context, { id }) => [await activityRow(context, id)],
})
