import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventOf } from './google-ads-events.ts'
import { mutate } from './google-ads-mutate.ts'
import { Refused } from './google-ads-refused.ts'
import { type AdsAccount, answerQuery } from './google-ads-rows.ts'

/** What goes wrong with one request; those that come later are served. */
type Mishap =
  /** The connection ends before the request is done, or after, without an answer. */
  | 'cut before'
  | 'cut after'
  | 500
  | { status: number; rpc: string; family: string; code: string; retryDelay?: string }

/** Google Ads with some accounts, by the documentation of its REST interface. */
export interface GoogleAdsServer extends AsyncDisposable {
  url: string
  accounts: Map<string, AdsAccount>
  /** Whether an access token is good. */
  accepts: (token: string) => boolean
  /** `POST customers/1/googleAds:searchStream`, in the order of arrival, with headers and body. */
  requests: Array<{
    path: string
    headers: IncomingMessage['headers']
    body: Record<string, unknown>
    /** As the answer names it. */
    id: string
  }>
  /** Called with each request before anything is done about it. */
  arrived?: ((request: { path: string; body: Record<string, unknown> }) => void) | undefined
  /** Taken from the front by requests to change something, and by all others. */
  mishaps: { mutate: Mishap[]; read: Mishap[] }
  /** How often each operation was really done, by its JSON. */
  done: Map<string, number>
  /** The time of its history, and who has given the consent. */
  now: () => number
  user: string
}

export function adsAccount(id: string, more: Partial<AdsAccount> = {}): AdsAccount {
  return {
    id,
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    budgets: new Map(),
    campaigns: new Map(),
    adGroups: new Map(),
    criteria: new Map(),
    negatives: new Map(),
    ads: new Map(),
    enabled: [],
    days: [],
    terms: [],
    events: [],
    ...more,
  }
}

export async function createGoogleAdsServer(): Promise<GoogleAdsServer> {
  let nextId = 900_000
  const failure = (errors: object[], requestId: string) => ({
    '@type': 'type.googleapis.com/google.ads.googleads.v25.errors.GoogleAdsFailure',
    errors,
    requestId,
  })
  const errorOf = ({ family, code, message, more }: Refused, index?: number) => ({
    errorCode: { [family]: code },
    message,
    ...(more.details && { details: more.details }),
    ...(index !== undefined && {
      location: {
        fieldPathElements: [{ fieldName: 'mutate_operations', index }, ...(more.path ?? [])],
      },
    }),
  })
  const refuse = (status: number, rpc: string, errors: object[], requestId: string): Reply => ({
    status,
    body: {
      error: {
        code: status,
        message: 'Request contains an invalid argument.',
        status: rpc,
        details: [failure(errors, requestId)],
      },
    },
  })
  const change = (account: AdsAccount, body: Record<string, unknown>, requestId: string): Reply => {
    const operations = body['mutateOperations'] as Array<Record<string, object>>
    const partial = body['partialFailure'] === true
    // Everything is tried on a copy first: without partial failures it is one transaction.
    const copy = structuredClone(account)
    const errors: object[] = []
    const answers = operations.map((operation, index) => {
      try {
        return mutate(copy, operation, () => String((nextId += 1)))
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        errors.push(errorOf(error, index))
        return {}
      }
    })
    if (errors.length > 0 && !partial) return refuse(400, 'INVALID_ARGUMENT', errors, requestId)
    const partialFailureError = {
      code: 3,
      message: 'Multiple errors in ‘details’.',
      details: [failure(errors, requestId)],
    }
    const failed = errors.length > 0 && { partialFailureError }
    if (body['validateOnly'] === true) return { status: 200, body: { ...failed } }
    const before = { ...account }
    Object.assign(account, copy)
    for (const [index, operation] of operations.entries()) {
      const [result] = Object.values(answers[index] ?? {}) as Array<{ resourceName: string }>
      if (!result) continue
      const by = {
        id: String((nextId += 1)),
        at: new Date(self.now()),
        user: self.user,
        client: 'GOOGLE_ADS_API',
      }
      account.events.push(eventOf([before, copy], operation, result.resourceName, by))
    }
    for (const [index, operation] of operations.entries())
      if (Object.keys(answers[index] ?? {}).length > 0) {
        const key = JSON.stringify(operation)
        self.done.set(key, (self.done.get(key) ?? 0) + 1)
      }
    return { status: 200, body: { mutateOperationResponses: answers, ...failed } }
  }
  const serve = (
    request: IncomingMessage,
    path: string,
    body: Record<string, unknown>,
    requestId: string,
  ): Reply => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (!self.accepts(token))
      return {
        status: 401,
        body: {
          error: {
            code: 401,
            message: 'Request had invalid authentication credentials.',
            status: 'UNAUTHENTICATED',
            details: [
              failure(
                [{ errorCode: { authenticationError: 'OAUTH_TOKEN_INVALID' }, message: 'Invalid.' }],
                requestId,
              ),
            ],
          },
        },
      }
    if (path === 'customers:listAccessibleCustomers') {
      const roots = [...self.accounts.values()].filter(({ under }) => under === undefined)
      return { status: 200, body: { resourceNames: roots.map(({ id }) => `customers/${id}`) } }
    }
    const [, id = '', act] = /^customers\/(\d+)\/googleAds:(\w+)$/.exec(path) ?? []
    const account = self.accounts.get(id)
    const login = request.headers['login-customer-id']
    if (!account || (account.under !== undefined && login !== account.under)) {
      const message = 'User doesn’t have permission to access customer.'
      const errors = [{ errorCode: { authorizationError: 'USER_PERMISSION_DENIED' }, message }]
      return refuse(403, 'PERMISSION_DENIED', errors, requestId)
    }
    if (act === 'mutate') return change(account, body, requestId)
    const query = String(body['query'])
    const results = query.includes('FROM customer_client')
      ? [...self.accounts.values()]
          .filter((one) => one.id === id || one.under === id)
          .map((one) => ({
            customerClient: {
              id: one.id,
              currencyCode: one.currency,
              timeZone: one.timezone,
              manager: one.manager ?? false,
              status: 'ENABLED',
            },
          }))
      : answerQuery(account, query, self.now())
    if (!Array.isArray(results)) {
      const { family, code } = results ?? { family: 'queryError', code: 'UNEXPECTED_INPUT' }
      const errors = [{ errorCode: { [family]: code }, message: `Error in query: ${query}` }]
      const { body: wrong } = refuse(400, 'INVALID_ARGUMENT', errors, requestId)
      return { status: 400, body: [wrong] }
    }
    return { status: 200, body: [{ results, fieldMask: '', requestId }] }
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', self.url).pathname.replace(/^\/v\d+\//, '')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>
    const requestId = randomUUID()
    self.requests.push({ path, headers: request.headers, body, id: requestId })
    self.arrived?.({ path, body })
    const writes = path.endsWith(':mutate') && body['validateOnly'] !== true
    const mishap = self.mishaps[writes ? 'mutate' : 'read'].shift()
    if (mishap === 'cut before') return void response.destroy()
    const done =
      mishap === 500
        ? refuse(
            500,
            'INTERNAL',
            [{ errorCode: { internalError: 'INTERNAL_ERROR' }, message: 'Oh no' }],
            requestId,
          )
        : typeof mishap === 'object'
          ? refuse(
              mishap.status,
              mishap.rpc,
              [
                {
                  errorCode: { [mishap.family]: mishap.code },
                  message: 'Not now.',
                  ...(mishap.retryDelay !== undefined && {
                    details: { quotaErrorDetails: { retryDelay: mishap.retryDelay, rateScope: 'ACCOUNT' } },
                  }),
                },
              ],
              requestId,
            )
          : serve(request, path, body, requestId)
    if (mishap === 'cut after') return void response.destroy()
    // A connection that is kept may end under the next request, which would be one mishap more.
    const headers = { 'content-type': 'application/json', connection: 'close', 'request-id': requestId }
    response.writeHead(done.status, headers).end(JSON.stringify(done.body))
  }
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const self: GoogleAdsServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts: new Map(),
    accepts: () => true,
    requests: [],
    mishaps: { mutate: [], read: [] },
    done: new Map(),
    now: Date.now,
    user: 'ads@oats.example',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return self
}

interface Reply {
  status: number
  body: unknown
}
