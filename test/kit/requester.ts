import type { EndpointInfo } from '@copydesk/core'
import { type Answer, assertContract } from './assert-contract.ts'
import type { Input } from './input.ts'
import type { SeededInstance } from './seeded-instance.ts'

export interface TestRequest {
  params?: Input['params']
  query?: Input['query'] | undefined
  /** In place of `query`, as it is written. */
  search?: string
  body?: unknown
  /** In place of `body`, as it is written. */
  text?: string
  authorization?: string | undefined
  headers?: Record<string, string>
  /** In place of the endpoint's own. */
  method?: string
  /** In place of an address of its own. */
  ip?: string
}

/** An id that no one has. */
export const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** Sends requests to endpoints, each from another address: those who show nothing are counted by it. */
export function createRequester({ app }: SeededInstance): {
  ask(info: EndpointInfo, request: TestRequest): Promise<Answer>
} {
  let callers = 0
  return {
    async ask(info, request) {
      const { params = {}, query, search, authorization, method = info.method } = request
      callers += 1
      const path = info.path.replace(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(params[name] ?? unknownId),
      )
      const pairs = query && new URLSearchParams(query).toString()
      const form = request.text === undefined && isForm(info) ? formOf(info, request.body) : undefined
      const body =
        form ?? request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
      const response = await app.fetch(
        path + (search ?? (pairs ? `?${pairs}` : '')),
        {
          method,
          headers: {
            ...(authorization !== undefined && { authorization }),
            ...(body !== undefined && !form && { 'content-type': 'application/json' }),
            ...request.headers,
          },
          ...(body !== undefined && method !== 'GET' && { body }),
        },
        { ip: request.ip ?? `10.${callers >> 16}.${(callers >> 8) & 255}.${callers & 255}` },
      )
      return assertContract(response, method === info.method ? info : undefined)
    },
  }
}

/**
 * What an endpoint looks at and does not act on, so that only who may call is asked: ids that no one has, a field that is
 * not known, a key that is none.
 * @param own a path parameter that the credential itself is bound to
 */
export function harmless(info: EndpointInfo, own: Record<string, string>): TestRequest {
  const { method, definition } = info
  if (method === 'GET') return { params: own }
  if (definition.body) return { params: own, body: { surprise: 1 } }
  if (method === 'POST') return { params: own, headers: { 'idempotency-key': 'x'.repeat(300) } }
  if (definition.names.some((name) => !(name in own))) return { params: own }
  throw new Error(
    `${info.id} takes neither an id nor a body: say in test/kit/requester.ts how it is asked without acting`,
  )
}

/** True where nothing but a form is taken. */
export const isForm = ({ definition: { files, json } }: EndpointInfo) => files !== undefined && !json

const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'

/** Fields as a form, with as many files as there have to be. */
export function formOf({ id, definition: { files = {} } }: EndpointInfo, fields: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields ?? {})) form.append(name, [value].flat().join(','))
  // A text for readers of texts, and a table for those of tables.
  const content = id === 'media.assets.create' ? drawing : 'Name\n\n# A text'
  const file = new Blob([content], { type: 'text/markdown' })
  for (const [name, { minFiles = 1 }] of Object.entries(files))
    for (let n = 0; n < minFiles; n += 1) form.append(name, file, 'text.md')
  return form
}
