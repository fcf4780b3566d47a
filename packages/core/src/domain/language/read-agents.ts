import { counted, dollars, duration, plain, spaced } from '@copydesk/language'
import { listTenants } from '../accounts/tenants/queries.ts'
import type { ReviewerAgentState } from '../work/agent-control/schemas.ts'
import { listQueues } from '../work/runs/queue/queue-queries.ts'
import { factAnswer, type Interpretation, mostRows } from './interpretation.ts'
import { type LanguageRequest, type QueryContext, scopedTo } from './query-context.ts'

const statusWords: ReadonlyArray<readonly [ReviewerAgentState['status'], RegExp]> = [
  ['paused', /\b(?:paused|on hold|held|pausing|stopped|suspended)\b/],
  [
    'error',
    /\b(?:errors?|errored|broken|fail(?:ed|ing|s)?|crash(?:ed|ing)?|wrong|trouble|down|stuck|blocked)\b/,
  ],
  ['running', /\b(?:running|working|busy|at work|writing)\b/],
  ['active', /\b(?:idle|ready|free|active)\b/],
]

/** Agents and what they do, or those in one state. */
export async function readAgents(scene: QueryContext, { said }: LanguageRequest): Promise<Interpretation> {
  const wanted = statusWords.filter(([, form]) => form.test(said.text)).map(([status]) => status)
  const tenant = said.tenants[0]
  const found = (await scene.agents()).filter(
    (agent) =>
      (tenant === undefined || agent.tenantId === tenant.id) &&
      (said.roles.length === 0 || said.roles.includes(agent.role)) &&
      (wanted.length === 0 ? agent.status !== 'terminated' : wanted.includes(agent.status)),
  )
  const of = tenant ? ` of ${plain(tenant.name, 80)}` : ''
  const is = {
    paused: 'paused',
    error: 'in error',
    running: 'at work',
    active: 'at the ready',
    terminated: 'gone',
  }
  const status = wanted.map((one) => is[one]).join(' or ')
  const state = status ? ` ${found.length === 1 ? 'is' : 'are'} ${status}` : ''
  const subject = said.roles.length === 1 ? spaced(said.roles[0] ?? '') : 'agent'
  const text =
    found.length === 0
      ? `No ${subject}${of} ${status ? `is ${status}` : 'is there'}.`
      : status
        ? `${counted(found.length, subject)}${of}${state}.`
        : `There ${found.length === 1 ? 'is' : 'are'} ${counted(found.length, subject)}${of}: ${summary(found)}.`
  const rows = found.map((agent) => [
    agent.tenantName,
    spaced(agent.role),
    is[agent.status],
    String(agent.runningCount),
    String(agent.queueDepth),
    agent.lastErrorMessage ?? '',
  ])
  const titles = ['Tenant', 'Agent', 'State', 'At work', 'Waiting', 'Last error']
  const [one] = found
  return factAnswer(
    text,
    { titles, rows },
    found.length === 1 && one ? { agent: { role: one.role, tenantId: one.tenantId } } : {},
  )
}

function summary(agents: readonly ReviewerAgentState[]): string {
  const count = (status: ReviewerAgentState['status']) => agents.filter((one) => one.status === status).length
  return `${count('running')} at work, ${count('active')} at the ready, ${count('paused')} paused, ${count('error')} in error`
}

/** What waits for agents. */
export async function readQueues(scene: QueryContext, { said }: LanguageRequest): Promise<Interpretation> {
  const { data } = await listQueues(scopedTo(scene, said))
  const found = data.filter(({ agentRole }) => said.roles.length === 0 || said.roles.includes(agentRole))
  const sum = (of: (one: (typeof data)[number]) => number) => found.reduce((all, one) => all + of(one), 0)
  const busy = found.filter(
    (one) => one.waiting + one.active + one.delayed + one.failed + one.deadLettered > 0 || one.paused,
  )
  const rows = busy.map((one) => [
    one.tenantName,
    spaced(one.agentRole),
    String(one.waiting),
    String(one.active),
    String(one.delayed),
    String(one.failed),
    one.paused ? 'yes' : 'no',
    one.oldestWaitingAgeS === null ? '' : duration(one.oldestWaitingAgeS * 1_000),
  ])
  const text = `${counted(
    sum((one) => one.waiting),
    'run',
  )} waiting, ${sum((one) => one.active)} at work, ${sum((one) => one.delayed)} to be tried again later, ${sum((one) => one.failed)} failed in the last 24 hours.`
  return factAnswer(text, {
    titles: ['Tenant', 'Agent', 'Waiting', 'At work', 'Later', 'Failed', 'Paused', 'Oldest'],
    rows,
  })
}

/** For whom the person works. */
export async function readTenants({ ctx, counts }: QueryContext): Promise<Interpretation> {
  const { data } = await listTenants(ctx, { limit: mostRows })
  const rows = data
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map((one) => [one.name, one.status, one.plan, dollars(one.monthlySpendUsd), one.id])
  const text = `You work for ${counted(counts.length, 'tenant')}.${counts.length > data.length ? ` These are the newest ${data.length}.` : ''}`
  return factAnswer(text, { titles: ['Tenant', 'Status', 'Plan', 'This month', 'Id'], rows })
}
