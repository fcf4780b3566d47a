import { tenantNaming } from '../account/tenant-named.ts'
import { type Row, row, span } from '../paper/row.ts'
import { LineFault } from './line.ts'
import { type Desk, operation } from './operation.ts'
import { onlyTenant } from './paging.ts'
import { activityRow } from './touched.ts'

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
  summary: `whose agent: ${tenantNaming}; not needed where you have one tenant`,
} as const
const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

const needsTenant = ({ target: named }: Aim) => !ulid.test(named)

interface Aim {
  target: string
  tenant?: string | undefined
}

/** The parameters of an agent's path; undefined when an activity is meant. @throws LineFault for an agent without its tenant */
function agentMeant({ target: named, tenant }: Aim): { tenantId: string; agentRole: string } | undefined {
  if (ulid.test(named)) return undefined
  if (tenant === undefined) throw new LineFault(`Whose ${named} is meant? Name it with --tenant`, 'tenant')
  return { tenantId: tenant, agentRole: named }
}

/** @throws LineFault, ApiError `NOT_FOUND` */
async function meant(desk: Desk, aim: Aim): Promise<Row[]> {
  const params = agentMeant(aim)
  if (!params) return [await activityRow(desk, aim.target)]
  const { role, tenantName, status } = await desk.client.call('cli', 'GET /agents/:tenantId/:agentRole', {
    params,
  })
  return [row(span(role, 'strong'), ` of ${tenantName}, ${status}`)]
}

export const pause = operation({
  name: 'pause',
  summary: 'hold an activity or an agent back; the turn under way ends',
  does: 'steers',
  takes: { target, tenant: whose, reason: { kind: 'text', value: 'text', summary: 'why' } },
  examples: [
    'pause 01J9ZX6T4QH8C3V5N7M2K0B1AD',
    'pause blog_writer --tenant 01J9ZX6T4QH8C3V5N7M2K0B1AD --reason "Off brand"',
  ],
  run: async (desk, { reason, ...aim }) => {
    const params = agentMeant(aim)
    const body = reason === undefined ? {} : { reason }
    return params
      ? desk.client.call('cli', 'POST /agents/:tenantId/:agentRole/pause', { params, body })
      : desk.client.call('cli', 'POST /activities/:id/pause', { params: { id: aim.target }, body })
  },
  print: (paused) => [
    'role' in paused
      ? row(span('✔ ', 'good'), `${paused.role} of ${paused.tenantName} is ${paused.status}`)
      : row(span('✔ ', 'good'), `${paused.activityId} is pausing`),
  ],
  preview: (desk, input) => meant(desk, input),
  needsTenant,
  undo: (input) => ({ name: 'resume', input: aimOf(input) }),
})

export const resume = operation({
  name: 'resume',
  summary: 'let a paused activity or agent go on',
  does: 'steers',
  takes: {
    target,
    tenant: whose,
    note: { kind: 'text', value: 'text', summary: 'told to the agent of an activity' },
  },
  examples: ['resume 01J9ZX6T4QH8C3V5N7M2K0B1AD', 'resume blog_writer --tenant 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: async (desk, { note, ...aim }) => {
    const params = agentMeant(aim)
    if (params && note !== undefined) throw new LineFault('An agent is resumed without a --note', 'note')
    return params
      ? desk.client.call('cli', 'POST /agents/:tenantId/:agentRole/resume', { params })
      : desk.client.call('cli', 'POST /activities/:id/resume', {
          params: { id: aim.target },
          body: note === undefined ? {} : { note },
        })
  },
  print: (resumed) => [
    'role' in resumed
      ? row(span('✔ ', 'good'), `${resumed.role} of ${resumed.tenantName} is ${resumed.status}`)
      : row(span('✔ ', 'good'), `${resumed.activityId} goes on with run ${resumed.runId}`),
  ],
  preview: (desk, input) => meant(desk, input),
  needsTenant,
  undo: (input) => ({ name: 'pause', input: aimOf(input) }),
})

const aimOf = ({ target: named, tenant }: Aim) => ({ target: named, ...(tenant !== undefined && { tenant }) })

export const retry = operation({
  name: 'retry',
  summary: 'give a failed activity another run; it costs what it costs',
  does: 'decides',
  audience: ['staff', 'admin'],
  takes: { id: activity },
  examples: ['retry 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (desk, input) => desk.client.call('cli', 'POST /activities/:id/retry', { params: input }),
  print: ({ activityId, runId }) => [row(span('✔ ', 'good'), `${activityId} is tried again by run ${runId}`)],
  preview: async (desk, { id }) => [await activityRow(desk, id)],
})

export const cancel = operation({
  name: 'cancel',
  summary: 'end an activity for good, with what could only come after it',
  does: 'decides',
  takes: {
    id: activity,
    reason: { kind: 'text', value: 'text', required: true, summary: 'why; people read it' },
  },
  examples: ['cancel 01J9ZX6T4QH8C3V5N7M2K0B1AD --reason "The offer has ended"'],
  run: (desk, { id, reason }) =>
    desk.client.call('cli', 'POST /activities/:id/cancel', { params: { id }, body: { reason } }),
  print: ({ activityId, alsoCancelled }) => [
    row(span('✔ ', 'good'), `${activityId} is cancelled`),
    ...alsoCancelled.map((id) => row(`  and with it ${id}`)),
  ],
  preview: async (desk, { id }) => {
    const { subtasks } = await desk.client.call('cli', 'GET /activities/:id', { params: { id } })
    return [await activityRow(desk, id), ...subtasks.map((subtask) => row(`  and with it ${subtask.title}`))]
  },
})

export const comment = operation({
  name: 'comment',
  summary: 'comment on an activity; @agent:role wakes an agent',
  does: 'steers',
  audience: ['staff', 'admin', 'member'],
  takes: { id: activity, text: { kind: 'argument', required: true, summary: 'what to say' } },
  examples: ['comment 01J9ZX6T4QH8C3V5N7M2K0B1AD "Please name the price"'],
  run: (desk, { id, text }) =>
    desk.client.call('cli', 'POST /activities/:id/comments', { params: { id }, body: { text } }),
  print: ({ mentions }) => [
    row(
      span('✔ ', 'good'),
      'said',
      mentions.length > 0 ? ` to ${mentions.map(({ name }) => name).join(', ')}` : '',
    ),
  ],
  preview: async (desk, { id }) => [await activityRow(desk, id)],
})
