import type { EndpointInfo } from '@copydesk/core'
import { bodyFor } from './isolation-bodies.ts'
import { pathOf, schemaOf } from './isolation-places.ts'
import { formOf, isForm } from './requester.ts'
import type { CallerKind, ComparedTenant, IsolationCaller, TwoTenants } from './two-tenants.ts'

/** Whether the access matrix lets this kind of caller through, whatever the id. */
export function mayCall({ access }: EndpointInfo, kind: IsolationCaller): boolean {
  if (access.public) return true
  if (kind === 'key')
    return access.credentials.includes('apikey') && (access.roles === 'any' || access.roles.includes('admin'))
  const app = kind === 'reviewer' ? 'dm-portal' : 'dashboard'
  return (
    access.credentials.includes(kind === 'agent' ? 'task' : 'jwt') &&
    (access.roles === 'any' || access.roles.includes(kind)) &&
    (access.apps.length === 0 || (kind !== 'agent' && access.apps.includes(app)))
  )
}

export interface Answer {
  status: number
  code: string | undefined
  text: string
}

export interface Sent {
  token: string
  ids: Readonly<Record<string, string>>
  query?: string
  headers?: Record<string, string>
  /** Default: one that the endpoint takes. */
  body?: object
}

let callers = 0

/** Calls an endpoint with a tenant's ids; of a stream that opens only the head is read. */
export async function send({ app, clock }: TwoTenants, info: EndpointInfo, sent: Sent): Promise<Answer> {
  const { token, ids, query = '', headers = {} } = sent
  const body = info.definition.body && (sent.body ?? bodyFor(info, ids))
  const response = await app.fetch(
    `${pathOf(info, ids)}${query && `?${query}`}`,
    {
      method: info.method,
      headers: {
        authorization: `${token.startsWith('cdk_') ? 'ApiKey' : 'Bearer'} ${token}`,
        ...(body && !isForm(info) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: isForm(info) ? formOf(info, body) : JSON.stringify(body) }),
    },
    { ip: `10.4.${Math.floor((callers += 1) / 250)}.${callers % 250}` },
  )
  // Limits have tests of their own.
  if (response.headers.get('x-ratelimit-remaining') === '0') clock.advance(60_000)
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status: response.status, code: undefined, text: '' }
  }
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const { error } = (isJson ? JSON.parse(text) : {}) as { error?: { code: string } }
  return { status: response.status, code: error?.code, text }
}

/** Without the time at which a reading began, which the cursors of a feed carry. */
const timeless = (text: string) => text.replace(/(\d\.[0-9a-z]+\.[0-9A-Z]{26})\.[0-9a-z]+/g, '$1')

/** Everything that one caller can read: each list as it is, by its filters, in its orders and page by page. */
export async function everythingReadBy(
  two: TwoTenants,
  endpoints: readonly EndpointInfo[],
  { tokens, ids }: Pick<ComparedTenant, 'tokens' | 'ids'>,
  kind: CallerKind,
  more: Pick<Sent, 'query' | 'headers'> = {},
): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const readable = endpoints.filter(
    (info) => info.method === 'GET' && info.kind === 'json' && !info.access.public && mayCall(info, kind),
  )
  for (const info of readable) {
    const read = async (query: string) => {
      const all = [query, more.query].filter(Boolean).join('&')
      const { text } = await send(two, info, { ...more, token: tokens[kind], ids, query: all })
      answers.set(timeless(`${info.id}?${query}`), timeless(text))
      return text
    }
    await read('')
    const fields = info.definition.query ? (schemaOf(info.definition.query).properties ?? {}) : {}
    for (const [field, schema] of Object.entries(fields)) {
      const own = ids[field.replace(/^.*\./, '')]
      const values = schema.enum ?? (own === undefined ? [] : [own])
      for (const value of values) await read(`${field}=${value}`)
    }
    if (!fields['cursor']) continue
    for (let query = 'limit=3'; query !== ''; ) {
      const page = JSON.parse(await read(query)) as { pagination?: { nextCursor: string | null } }
      const cursor = page.pagination?.nextCursor
      query = cursor ? `limit=3&cursor=${cursor}` : ''
    }
  }
  return answers
}
