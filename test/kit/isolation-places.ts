import type { EndpointInfo } from '@copydesk/core'
import { z } from 'zod'

/** A spot of an endpoint that takes an id. */
export interface Place {
  info: EndpointInfo
  in: 'path' | 'query' | 'body'
  /** As it is written there, such as `filter.campaignId`. */
  field: string
  /** Under which a twin keeps an id of that kind. */
  name: string
}

export const labelOf = ({ info, in: where, field }: Place) => `${info.id}: ${field} in the ${where}`

interface JsonSchema {
  pattern?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  enum?: string[]
}

export const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

const ulidForm = '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'

/** Names of the fields that hold ids, by their form or by their name, however deep they lie. */
function idFields(schema: JsonSchema, name = ''): string[] {
  if (schema.pattern === ulidForm || /(^|\.)(id|ids|cursor)$|\wIds?$/.test(name)) return [name]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => idFields(inner, key)),
    ...(schema.items ? idFields(schema.items, name) : []),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((inner) => idFields(inner, name)),
  ]
}

/** Every spot of these endpoints that takes an id. */
export function placesOf(endpoints: readonly EndpointInfo[]): Place[] {
  return endpoints.flatMap((info) => {
    const { params, query, body } = info.definition
    const inPath = info.path.split('/').flatMap((part, at, parts): Place[] => {
      const field = part.slice(1)
      if (!part.startsWith(':') || (params[field] !== 'ulid' && !/(^id|Id)$/.test(field))) return []
      return [{ info, in: 'path', field, name: nameOf(part, parts[at - 1]) }]
    })
    const inside = (where: 'query' | 'body', schema: z.ZodType | undefined) =>
      [...new Set(schema ? idFields(schemaOf(schema)) : [])].map(
        (field): Place => ({ info, in: where, field, name: field.replace(/^.*\./, '') }),
      )
    return [...inPath, ...inside('query', query), ...inside('body', body)]
  })
}

/** What a parameter is an id of; a plain `:id` belongs to the path segment before it. */
const nameOf = (part: string, before: string | undefined) => (part === ':id' ? `${before} id` : part.slice(1))

/** Spots that take no id of any tenant, and why. */
export const tenantless: Record<string, string> = {
  'dashboard.calendar.read: fromId in the query': 'is a place in the order of ids, and never looked up',
  'tenant.billing.change: planId in the body': 'plans are the same for all tenants',
  'tenant.campaigns.add_audience: platformAudienceId in the body':
    'names a list of the advertising platform, and is kept as it is said',
  'tenant.campaigns.change_audience: platformAudienceId in the body':
    'names a list of the advertising platform, and is kept as it is said',
  'tenant.ads.set_limit: accountId in the body': 'names an account of the platform',
  'tenant.campaigns.import_all: externalCampaignId in the body': 'names a campaign of the platform',
  'tenant.campaigns.link_campaign: externalCampaignId in the body': 'names a campaign of the platform',
  'dashboard.campaigns.create: templateId in the body': 'templates belong to the installation',
  'agent.actions.report_blocker: channelId in the body': 'is kept as the agent says it, and never looked up',
  'agent.callback.receive: sessionId in the body': 'is a session of the runtime, not one of ours',
  'dashboard.agents.change: skillIds in the body':
    'skills of the installation, which are the same for everybody',
  'tenant.agents.change: skillIds in the body':
    'skills of the installation, which are the same for everybody',
  'agent.sessions.put: sessionId in the body': 'is a session of the runtime, not one of ours',
  'mobile.push.register: deviceId in the body':
    'names a device, which belongs to who logs in at it, anyone who had it before',
  'tenant.notifications.read: ids in the body':
    'passes over what is not the caller’s own, as on the mobile surface',
  'dm.notifications.read: ids in the body':
    'passes over what is not the caller’s own, as on the mobile surface',
  'mobile.notifications.read: ids in the body':
    'passes over what is not the caller’s own, which has a test beside it',
  'forms.submit: formId in the path':
    'names a form that is open to everybody; it shows nothing of the tenant',
  'forms.thanks: formId in the path':
    'names a form that is open to everybody; it shows nothing of the tenant',
  'dashboard.campaigns.create: platformIds in the body': 'names platforms, which are the same for everybody',
}

/** Path parameters that are not ids; every tenant has the same values. */
const words: Record<string, string> = {
  agentRole: 'social_writer',
  role: 'social_writer',
  skillName: 'Tone of voice',
  version: '1',
}

/** The path of an endpoint with a tenant's ids in it. */
export function pathOf({ path }: EndpointInfo, ids: Readonly<Record<string, string>>): string {
  const parts = path.split('/')
  return parts
    .map((part, at) => {
      const name = nameOf(part, parts[at - 1])
      return part.startsWith(':') ? (ids[name] ?? encodeURIComponent(words[name] ?? 'unknown')) : part
    })
    .join('/')
}
