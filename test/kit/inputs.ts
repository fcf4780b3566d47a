import type { EndpointInfo } from '@copydesk/core'
import fc from 'fast-check'
import type { z } from 'zod'
import { password } from './app.ts'
import { claimsOf, type Person, ruleOf } from './callers.ts'
import { type Known, valid } from './fuzz/valid.ts'
import type { Input } from './input.ts'
import { examplesFor } from './input-examples.ts'
import type { SeededInstance } from './seeded-instance.ts'
import type { SeededTenant } from './seeded-tenant.ts'

/** The rows that ids in paths, queries and bodies belong to, by the end of their names. */
const tables: readonly (readonly [RegExp, string])[] = [
  [/campaignIds?$/i, 'campaigns'],
  [/deliverableIds?$/i, 'deliverables'],
  [/activityIds?$/i, 'activities'],
  [/approvalIds?$/i, 'approvals'],
  [/itemId$/i, 'approvals'],
  [/runId$/i, 'runs'],
  [/userIds?$/i, 'users'],
  [/^(principalId|toId)$/, 'users'],
  [/channelId$/i, 'channel_connections'],
  [/skillIds?$/i, 'skills'],
  [/periodId$/i, 'periods'],
  [/segmentId$/i, 'campaign_audiences'],
  [/adGroupId$/i, 'ad_groups'],
  [/negativeKeywordId$/i, 'negative_keywords'],
  [/keywordId$/i, 'campaign_keywords'],
  [/searchTermId$/i, 'search_terms'],
  [/changeSetId$/i, 'ad_change_sets'],
  [/recommendationId$/i, 'campaign_recommendations'],
  [/sequenceId$/i, 'campaign_sequences'],
  [/stepId$/i, 'sequence_steps'],
  [/goalId$/i, 'goals'],
  [/documentId$/i, 'documents'],
  [/assetId$/i, 'assets'],
  [/datasetIds?$/i, 'datasets'],
  [/fileId$/i, 'knowledge_files'],
  [/crawlJobId$/i, 'crawls'],
  [/conversationId$/i, 'conversations'],
  [/leadId$/i, 'leads'],
  [/importId$/i, 'lead_imports'],
  [/formId$/i, 'lead_forms'],
  [/invoiceId$/i, 'invoices'],
  [/assignedTo$/, 'users'],
  [/webhookId$/i, 'webhooks'],
  [/publicationId$/i, 'publications'],
  [/deliveryId$/i, 'webhook_deliveries'],
  [/requestId$/i, 'content_requests'],
  [/reportId$/i, 'reports'],
]

/** The content of parameters and fields that no schema describes. */
const words: Readonly<Record<string, readonly string[]>> = {
  timezone: ['Europe/Berlin', 'Asia/Kolkata', 'UTC'],
  country: ['DE', 'IN', 'US'],
  billingCountry: ['DE'],
  state: ['DE-BE', 'BE'],
  website: ['https://shop.example.com/'],
  phone: ['+49 30 1234567'],
  agentRole: ['social_writer', 'ads_writer'],
  'filter.agentRole': ['social_writer'],
  version: ['1'],
  against: ['1', '2'],
  skillName: ['Tone of voice'],
  toRole: ['social_writer', 'blog_writer'],
  role: ['admin', 'member'],
  customRegionId: ['US', 'IN'],
  platform: ['search_ads', 'cms_site'],
  cron: ['0 9 * * 1', '*/15 8-18 * * *'],
  promptTemplate: ['Report to {{company}} on {{date}}'],
  planIds: ['pro', 'agency'],
  password: [password],
  newPassword: ['Another-horse-2'],
}

/**
 * Values by the name of a field.
 * @param side whose rows are meant; on the operators' surface no one else's than those of others can be
 */
export function knownTo(instance: SeededInstance, info: EndpointInfo, side: SeededTenant): Known {
  return (field) => {
    // An external runtime would be waited for while the clock stands still.
    if (info.id === 'agent.health.test' && field === 'agentRole') return ['social_writer']
    if (info.id === 'cli.approvals.bulk_resolve' && field === 'ids') return side.ids['approvals']
    if (words[field]) return words[field]
    if (field === 'mailingId') return side.mailings
    // Anyone who calls must not be shut out by what is asked.
    if (field.endsWith('tenantId') || field === 'tenantIds') {
      if (info.surface !== 'admin') return [side.tenantId]
      return [instance.spare.tenantId, instance.theirs.tenantId]
    }
    if (field === 'templateId' && info.surface === 'admin') {
      if (info.id.startsWith('admin.email_templates')) return [instance.emailTemplate]
      return [info.id.startsWith('admin.recurring') ? instance.recurringTemplate : instance.activityTemplate]
    }
    const table = tables.find(([ending]) => ending.test(field))?.[1]
    if (table === 'runs') return side.atWork.map(({ taskId }) => taskId)
    if (table === 'users' && info.surface === 'admin') return instance.theirs.ids['users']
    // Own ones are given by name of the role; by id an agent has those of the installation.
    if (table === 'skills' && (info.surface === 'admin' || field !== 'skillId')) return [instance.globalSkill]
    return table === undefined ? undefined : side.ids[table]
  }
}

/**
 * An input that an endpoint takes: written down here, or made from its schemas.
 * @param side whose rows it is about
 * @throws Error with a sentence that says what to add where it cannot be made
 */
export function inputFor(
  instance: SeededInstance,
  info: EndpointInfo,
  side: SeededTenant = instance.ours,
): Input {
  const { body, query, names, keys, params } = info.definition
  const known = knownTo(instance, info, side)
  const [given = {}] = examplesFor(side === instance.ours ? instance : { ...instance, ours: side }, info)
  const made: Record<string, string> = {}
  for (const [i, name] of names.entries()) {
    const key = keys[i] as string
    const value = given.params?.[key] ?? (known(name) ?? known(key))?.[0]
    if (value === undefined) {
      const where = params[key] === 'ulid' ? 'the table of its rows to `tables`' : 'a value to `words`'
      throw new Error(
        `${info.id} takes :${name}, and no one knows one: add ${where} there, or an example to test/kit/input-examples.ts`,
      )
    }
    made[name] = String(value)
  }
  const wanted = given.query ?? (query && textOf(info, query, known))
  return {
    params: made,
    ...(wanted && { query: wanted }),
    ...(given.headers && { headers: given.headers }),
    ...(given.body !== undefined ? { body: given.body } : body && { body: sample(info, body, known) }),
  }
}

function sample(info: EndpointInfo, schema: z.ZodType, known: Known): unknown {
  const found = fc
    .sample(valid(schema, known), { numRuns: 300, seed: 7 })
    .find((value) => schema.safeParse(value).success)
  if (found === undefined) {
    throw new Error(
      `No input for ${info.id} could be made from its schema: add an example to test/kit/input-examples.ts`,
    )
  }
  return found
}

/** Only what has to be there. */
function textOf(info: EndpointInfo, query: z.ZodObject, known: Known): Record<string, string> {
  if (query.safeParse({}).success) return {}
  const value = sample(info, query, known) as Record<string, unknown>
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, [inner].flat().join(',')]))
}

/** The roles of people that an endpoint is meant for; none where it is for no one of flesh and blood. */
export function rolesFor(info: EndpointInfo): readonly Person[] {
  const rule = ruleOf(info)
  if (!rule?.credentials.includes('jwt')) return []
  return rule.roles === 'any' ? ['admin'] : rule.roles.filter((role) => role !== 'agent')
}

/**
 * The `Authorization` header of someone of ours who is meant to call an endpoint; undefined where none is needed.
 * @param role default: the first that it is meant for
 */
export function callerFor(
  instance: SeededInstance,
  info: EndpointInfo,
  input?: Pick<Input, 'params'>,
  role = rolesFor(info)[0],
): string | undefined {
  const rule = ruleOf(info)
  if (!rule) return undefined
  const { tokens, registrations, clock, apiKey, ownKey } = instance
  if (role) return `Bearer ${tokens.sign('access', claimsOf(instance, role))}`
  if (rule.credentials.includes('task')) {
    const sub = input?.params['runId'] ?? instance.ours.atWork[0]?.taskId ?? ''
    return `Bearer ${tokens.sign('task', { sub, attempt: 1, exp: Math.floor(clock.now() / 1000) + 900 })}`
  }
  if (rule.credentials.includes('registration'))
    return `Bearer ${tokens.sign('registration', { sub: registrations[0] ?? '' })}`
  // Where the work is that of one tenant, the key of a super-admin would have to name it.
  return `ApiKey ${info.surface === 'agent' ? ownKey : apiKey}`
}
