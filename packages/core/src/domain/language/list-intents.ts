import {
  agentWorkForm,
  askingForm,
  costForm,
  feedForm,
  newsForm,
  queuesForm,
  statusForm,
  tenantsForm,
  urgentForm,
  waitersForm,
} from '@copydesk/language'
import { type Intent, names, ofList, ofPending, ofTenant, says } from './intent.ts'
import { type LanguageRequest } from './query-context.ts'
import { readAgents, readQueues, readTenants } from './read-agents.ts'
import { noCostOf, readCost } from './read-cost.ts'
import { readAgentWork, readHistory } from './read-history.ts'
import { readVerdicts } from './read-verdicts.ts'
import { readFeed, readStatus, readUrgent, readWaiting, readWork } from './read-work.ts'

/** What is asked about many things: the first that fits comes first. */
export const listIntents: readonly Intent[] = [
  {
    isMeant: says(costForm),
    accounts: {
      slots: [...ofTenant, 'role', 'span', 'past'],
      forms: [
        costForm,
        /\b(?:how much|so far|in total|altogether|overall|total|the most|most|everything|breakdown|split|#compare|figures?)\b/,
        /#compare/,
        /\b(?:by|per|each|which|what|of the|for each) (?:agents?|roles?|models?|campaigns?|tenants?|clients?|customers?)\b/,
      ],
      shows: true,
    },
    answer: readCost,
    lacks: noCostOf,
  },
  {
    isMeant: says(waitersForm),
    accounts: {
      slots: [...ofTenant, 'pending'],
      forms: [waitersForm, /\bfor (?:a )?verdicts?\b/],
      shows: true,
    },
    answer: readWaiting,
  },
  {
    isMeant: says(queuesForm),
    accounts: {
      slots: ['tenant', 'role', 'quantity'],
      forms: [queuesForm, /\b(?:agents?|how|status|state|look|stand|doing|long)\b/],
      shows: true,
    },
    answer: readQueues,
  },
  { isMeant: says(tenantsForm), accounts: { slots: [], forms: [tenantsForm] }, answer: readTenants },
  {
    isMeant: ({ slots }) => slots.verdict !== undefined,
    accounts: {
      slots: [
        ...ofTenant,
        'verdict',
        'span',
        'past',
        'count',
        'limit',
        'noun',
        'deliverableType',
        'approvalType',
        'risk',
      ],
      forms: [/\b(?:approvals?|requests?|reviews?|verdicts?|decisions?|so far|already)\b|^who\b/],
      shows: true,
    },
    names: 'person',
    answer: readVerdicts,
  },
  {
    isMeant: (request) =>
      (request.said.roles.length > 0 || says(/\bagents?\b/)(request)) &&
      says(agentWorkForm)(request) &&
      (request.slots.span !== undefined || says(/\b(?:did|has|have|done|was|were)\b/)(request)),
    accounts: {
      slots: [...ofTenant, 'role', 'span', 'past', 'done', 'noun', 'count'],
      forms: [agentWorkForm, /\bagents?\b/],
      shows: true,
    },
    answer: readAgentWork,
  },
  {
    isMeant: (request) =>
      says(newsForm)(request) &&
      (request.slots.span !== undefined || says(/\b(?:happen|miss|changed|went on|going on)/)(request)),
    accounts: {
      slots: [...ofTenant, 'span', 'past'],
      forms: [newsForm, /\b(?:happened|so far|else)\b/],
      shows: true,
    },
    answer: readHistory,
  },
  {
    isMeant: (request) =>
      says(/\bagents?\b/)(request) || (request.said.roles.length > 0 && request.slots.state !== 'pending'),
    accounts: {
      slots: [...ofTenant, 'role', 'agentState', 'running', 'count'],
      forms: [
        /\bagents?\b/,
        /\b(?:paused|on hold|held|pausing|stopped|suspended|errors?|errored|broken|fail(?:ed|ing|s)?|crash(?:ed|ing)?|trouble|down|stuck|blocked|running|working(?: on)?|busy|at work|writing|idle|ready|free|active|doing|status|state|how|what is|up to)\b/,
      ],
      shows: true,
    },
    answer: readAgents,
  },
  {
    isMeant: (request) => says(urgentForm)(request) && !says(/\bmost urgent\b/)(request),
    accounts: { slots: [...ofPending], forms: [urgentForm, /\b(?:now|today's)\b/], shows: true },
    answer: readUrgent,
  },
  {
    isMeant: says(feedForm),
    accounts: { slots: [...ofTenant, 'noun'], forms: [feedForm], shows: true },
    answer: readFeed,
  },
  {
    isMeant: (request) => says(askingForm)(request) && request.slots.span !== undefined,
    accounts: { slots: [...ofPending, 'span', 'past'], forms: [askingForm], shows: true },
    answer: (scene, request) => readWork(scene, request, 'pending'),
  },
  {
    isMeant: ({ slots }) => slots.state === 'failed' || slots.state === 'done',
    accounts: {
      slots: [...ofList, 'failed', 'done', 'span', 'past'],
      forms: [/\b(?:got|went|wrong|so far)\b/],
      shows: true,
    },
    answer: (scene, request) => readWork(scene, request, request.slots.state ?? 'failed'),
  },
  {
    isMeant: (request) => request.slots.state === 'blocked' || request.slots.paused,
    accounts: { slots: [...ofList, 'blocked', 'agentState'], shows: true },
    answer: (scene, request) => readWork(scene, request, 'blocked'),
  },
  {
    isMeant: ({ slots }) => slots.state === 'running',
    accounts: { slots: [...ofList, 'running'], shows: true },
    answer: (scene, request) => readWork(scene, request, 'running'),
  },
  {
    isMeant: (request) => isOfPending(request),
    accounts: {
      slots: [...ofPending],
      forms: [/\b(?:left|the queue|my queue|our queue|posts?|open|to review|to approve|to sign off)\b/],
      shows: true,
    },
    answer: (scene, request) => readWork(scene, request, 'pending'),
  },
  {
    isMeant: says(statusForm),
    accounts: {
      slots: ['tenant', 'quantity'],
      forms: [statusForm, /#compare/, /\b(?:now|present|overall)\b/],
      shows: true,
    },
    answer: readStatus,
  },
]

/** Whether a request speaks of what waits for people, or of a list without saying which. */
function isOfPending(request: LanguageRequest): boolean {
  const { slots } = request
  if (slots.order !== undefined || slots.reference !== undefined || names(request)) return false
  if (slots.state !== undefined) return slots.state === 'pending'
  const isNarrow = [
    slots.olderThan,
    slots.expiresWithin,
    slots.approvalType,
    slots.deliverableType,
    slots.limit,
  ].some((value) => value !== undefined)
  return (
    isNarrow ||
    slots.risks.length > 0 ||
    slots.overdue ||
    says(/\b(?:queue|work|posts?|pieces?|texts?)\b/)(request)
  )
}
