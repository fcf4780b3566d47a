import { dollars, plain, quoted, spaced } from '@copydesk/language'
import { costReport } from '../insight/costs/queries.ts'
import { oneTenantOf } from './days.ts'
import { clarificationAnswer, factAnswer, type Interpretation } from './interpretation.ts'
import { type LanguageRequest, type QueryContext, scopedTo } from './query-context.ts'

/** What costs are told by. */
const groupings = [
  ['campaign', /\bcampaigns?\b/],
  ['model', /\bmodels?\b/],
  ['agent', /\b(?:agents?|roles?)\b/],
  ['tenant', /\b(?:by|per|each|which|what) (?:tenants?|clients?|customers?)\b/],
] as const

/** What was spent, this month where no days are named. */
export async function readCost(
  scene: QueryContext,
  { said, days: span }: LanguageRequest,
): Promise<Interpretation> {
  const tenant = said.tenants[0]
  const ctx = scopedTo(scene, said)
  const named = groupings.filter(([, form]) => form.test(said.text)).map(([group]) => group)
  if (named.length > 1)
    return clarificationAnswer(
      'Costs are told by one thing at a time.',
      named.map((group) => `cost by ${group}`),
    )
  const groupBy = named[0] ?? (tenant || said.roles.length > 0 ? 'agent' : 'tenant')
  const days = span && { startDate: span.from, endDate: span.to }
  const report = await costReport(ctx, { groupBy, tenantId: oneTenantOf(scene.counts, said), ...days })
  const shown =
    said.roles.length > 0 ? report.breakdown.filter(({ key }) => said.roles.includes(key)) : report.breakdown
  const total = said.roles.length > 0 ? shown.reduce((sum, { costUsd }) => sum + costUsd, 0) : report.totalUsd
  const who = `${said.roles.length > 0 ? `the ${said.roles.map(spaced).join(' and ')}` : 'everything'}${tenant ? ` of ${plain(tenant.name, 80)}` : ''}`
  const [most] = shown
  const top =
    most && most.costUsd > 0 && shown.length > 1
      ? ` Most of it went to ${plain(most.label, 80)} (${dollars(most.costUsd)}).`
      : ''
  const rows = shown.map((part) => [part.label, dollars(part.costUsd), `${part.pct} %`, String(part.runs)])
  const titles = [
    { tenant: 'Tenant', agent: 'Agent', model: 'Model', campaign: 'Campaign' }[groupBy],
    'Cost',
    'Share',
    'Runs',
  ]
  return factAnswer(
    `${who.charAt(0).toUpperCase()}${who.slice(1)} cost ${dollars(total)} ${span?.words ?? 'this month'}.${top}`,
    { titles, rows },
  )
}

/** What is said where the cost of something else is asked for. */
export function noCostOf(words: readonly string[]): Interpretation {
  const question = `There is no cost of ${quoted(words.join(' '))} to tell: costs are known by tenant, agent, model and campaign, and for days that are over.`
  return clarificationAnswer(question, ['cost by tenant', 'cost by agent', 'cost by campaign'], {
    unsure: true,
  })
}
