import type { Reply } from '@copydesk/client'
import { tenantNaming } from '../account/tenant-named.ts'
import { type Column, row, span, tableOf, type Tone } from '../paper/row.ts'
import { lasting } from '../paper/words.ts'
import { operation } from './operation.ts'
import { ofTenant, onlyTenant } from './paging.ts'

type Told = Reply<'cli', 'GET /agents'>['data'][number]
/** How many pieces wait for it, only staff are told. */
export type AgentState = Omit<Told, 'queueDepth'> & Partial<Pick<Told, 'queueDepth'>>
type QueueNumbers = Reply<'cli', 'GET /agents/queues'>['data'][number]

const states = ['active', 'running', 'error', 'paused', 'terminated'] as const
const tones: Readonly<Record<(typeof states)[number], Tone>> = {
  active: 'plain',
  running: 'good',
  error: 'bad',
  paused: 'warn',
  terminated: 'dim',
}

/** The columns in which agents are listed, on paper and on the screen. */
export const agentColumns: ReadonlyArray<Column<AgentState>> = [
  { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8, enough: 14 },
  { title: 'agent', cell: ({ role }) => role, tone: () => 'accent', least: 8, enough: 16 },
  { title: 'state', cell: ({ status }) => status, tone: ({ status }) => tones[status] },
  { title: 'at work', cell: ({ runningCount }) => String(runningCount), align: 'right', rank: 1 },
  { title: 'waiting', cell: ({ queueDepth }) => String(queueDepth ?? '·'), align: 'right', rank: 1 },
  { title: 'model', cell: ({ model }) => model, tone: () => 'dim', least: 8, enough: 12, rank: 3 },
  {
    title: 'last error',
    cell: ({ lastErrorMessage }) => lastErrorMessage ?? '',
    tone: () => 'bad',
    least: 10,
    enough: 20,
    rank: 2,
  },
]

export const agents = operation({
  name: 'agents',
  summary: 'show the agents of your tenants and what they are doing',
  does: 'reads',
  audience: ['staff', 'admin', 'member'],
  takes: {
    tenant: onlyTenant,
    status: { kind: 'choice', choices: states, summary: 'only such that stand so' },
    role: { kind: 'text', value: 'role', summary: 'only this agent', completes: 'role' },
  },
  examples: ['agents', 'agents --status error'],
  run: (desk, { tenant, status, role }) =>
    desk.client.call('cli', 'GET /agents', {
      query: {
        ...ofTenant(tenant),
        ...(status && { 'filter.status': status }),
        ...(role !== undefined && { 'filter.role': role }),
      },
    }),
  print: ({ data }, { width }) =>
    data.length === 0 ? [row(span('No agent.', 'dim'))] : tableOf(agentColumns, data, width),
})

const queueColumns: ReadonlyArray<Column<QueueNumbers>> = [
  { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8 },
  { title: 'agent', cell: ({ agentRole }) => agentRole, tone: () => 'accent' },
  { title: 'waiting', cell: ({ waiting }) => String(waiting), align: 'right' },
  { title: 'at work', cell: ({ active }) => String(active), align: 'right' },
  { title: 'delayed', cell: ({ delayed }) => String(delayed), align: 'right' },
  {
    title: 'failed',
    cell: ({ failed }) => String(failed),
    align: 'right',
    tone: ({ failed }) => (failed > 0 ? 'warn' : 'plain'),
  },
  {
    title: 'given up',
    cell: ({ deadLettered }) => String(deadLettered),
    align: 'right',
    tone: ({ deadLettered }) => (deadLettered > 0 ? 'bad' : 'plain'),
  },
  {
    title: 'oldest',
    cell: ({ oldestWaitingAgeS }) => (oldestWaitingAgeS === null ? '·' : lasting(oldestWaitingAgeS * 1_000)),
    align: 'right',
  },
  { title: '', cell: ({ paused }) => (paused ? 'paused' : ''), tone: () => 'warn' },
]

export const queues = operation({
  name: 'queues',
  summary: 'show how the queue of every agent stands',
  does: 'reads',
  takes: { tenant: onlyTenant },
  examples: ['queues', 'queues --json'],
  run: (desk, { tenant }) => desk.client.call('cli', 'GET /agents/queues', { query: ofTenant(tenant) }),
  print: ({ data }, { width }) =>
    data.length === 0
      ? [row(span('Nothing waits and nothing runs.', 'dim'))]
      : tableOf(queueColumns, data, width),
})

export const run = operation({
  name: 'run',
  summary: 'give an agent a task outside of any plan; it costs what it costs',
  does: 'decides',
  takes: {
    role: { kind: 'argument', required: true, summary: 'which agent', completes: 'role' },
    prompt: { kind: 'argument', required: true, summary: 'what it is to do' },
    tenant: {
      ...onlyTenant,
      required: true,
      summary: `for whom: ${tenantNaming}; not needed where you have one tenant`,
    },
    title: { kind: 'text', value: 'text', summary: 'default: the first line of the task' },
    campaign: { kind: 'text', value: 'id', summary: 'as a part of this campaign' },
    priority: { kind: 'choice', choices: ['normal', 'high'], summary: 'default: normal' },
  },
  examples: ['run blog_writer "Write about the new oven" --tenant 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (desk, { role, prompt, tenant, title, campaign, priority }) =>
    desk.client.call('cli', 'POST /agents/:role/run', {
      params: { role },
      body: {
        tenantId: tenant,
        prompt,
        ...(title !== undefined && { title }),
        ...(campaign !== undefined && { campaignId: campaign }),
        ...(priority && { priority }),
      },
    }),
  print: ({ activityId }) => [
    row(span('✔ ', 'good'), 'begun as activity ', span(activityId, 'accent')),
    row(span(`Follow it with: tail ${activityId}`, 'dim')),
  ],
  preview: async (desk, { role, prompt, tenant }) => {
    const { data } = await desk.client.call('cli', 'GET /agents', {
      query: { tenantId: tenant, 'filter.role': role },
    })
    const [agent] = data
    return [
      row(
        span(role, 'strong'),
        ` of ${agent?.tenantName ?? tenant}`,
        agent ? span(`, ${agent.model}`, 'dim') : '',
      ),
      row(prompt),
    ]
  },
})
