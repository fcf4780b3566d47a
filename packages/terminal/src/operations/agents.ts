import type { Reply } from '@copydesk/client'
import { tenantNaming } from '../account/tenant-named.ts'
import { type Column, row, span, type Tone, tableOf } from '../render/row.ts'
import { lasting } from '../render/words.ts'
import { operation } from './operation.ts'
import { ofTenant, onlyTenant } from './paging.ts'

type Told = Reply<'cli', 'GET /agents'>['data'][number]
/** Whether the queue depth is known, which only staff can see. */
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

/** The columns of lists of agents, in commands and on the screen. */
export const agentColumns: ReadonlyArray<Column<AgentState>> = [
  { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8, enough: 14 },
  { title: 'agent', cell: ({ role }) => role, tone: () => 'accent', least: 8, enough: 16 },
  { title: 'state', cell: ({ status }) => status, tone: ({ status }) => tones[status] },
  { title: 'running', cell: ({ runningCount }) => String(runningCount), align: 'right', rank: 1 },
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
  summary: 'list the agents of your tenants with their status',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  params: {
    tenant: onlyTenant,
    status: { kind: 'choice', choices: states, summary: 'only agents with this status' },
    role: { kind: 'text', value: 'role', summary: 'only this agent', completes: 'role' },
  },
  examples: ['agents', 'agents --status error'],
  run: (context, { tenant, status, role }) =>
    context.client.call('cli', 'GET /agents', {
      query: {
        ...ofTenant(tenant),
        ...(status && { 'filter.status': status }),
        ...(role !== undefined && { 'filter.role': role }),
      },
    }),
  print: ({ data }, { width }) =>
    data.length === 0 ? [row(span('No agents.', 'dim'))] : tableOf(agentColumns, data, width),
})

const queueColumns: ReadonlyArray<Column<QueueNumbers>> = [
  { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8 },
  { title: 'agent', cell: ({ agentRole }) => agentRole, tone: () => 'accent' },
  { title: 'waiting', cell: ({ waiting }) => String(waiting), align: 'right' },
  { title: 'running', cell: ({ active }) => String(active), align: 'right' },
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
  summary: 'show the queue of every agent',
  effect: 'reads',
  params: { tenant: onlyTenant },
  examples: ['queues', 'queues --json'],
  run: (context, { tenant }) => context.client.call('cli', 'GET /agents/queues', { query: ofTenant(tenant) }),
  print: ({ data }, { width }) =>
    data.length === 0
      ? [row(span('Nothing is queued or running.', 'dim'))]
      : tableOf(queueColumns, data, width),
})

export const run = operation({
  name: 'run',
  summary: 'give an agent a task outside of any campaign plan; the run has a cost',
  effect: 'decides',
  params: {
    role: { kind: 'argument', required: true, summary: 'role of the agent', completes: 'role' },
    prompt: { kind: 'argument', required: true, summary: 'the task' },
    tenant: {
      ...onlyTenant,
      required: true,
      summary: `the tenant: ${tenantNaming}; not needed when you have only one`,
    },
    title: { kind: 'text', value: 'text', summary: 'default: the first line of the task' },
    campaign: { kind: 'text', value: 'id', summary: 'as part of this campaign' },
    priority: { kind: 'choice', choices: ['normal', 'high'], summary: 'default: normal' },
  },
  examples: ['run blog_writer "Write about the new oven" --tenant 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (context, { role, prompt, tenant, title, campaign, priority }) =>
    context.client.call('cli', 'POST /agents/:role/run', {
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
    row(span('✔ ', 'good'), 'created activity ', span(activityId, 'accent')),
    row(span(`Follow it with: tail ${activityId}`, 'dim')),
  ],
  preview: async (context, { role, prompt, tenant }) => {
    const { data } = await context.client.call('cli', 'GET /agents', {
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
