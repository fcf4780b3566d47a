import type { OutboundBody, Send } from './exchange.ts'
import { targetOf } from './guard.ts'
import { OutboundError, type OutboundReason } from './outbound-error.ts'

/** What `fetch` reports as a TypeError "fetch failed"; callers that retry look for exactly that. */
const TRANSIENT: ReadonlySet<OutboundReason> = new Set(['dns', 'connect', 'network', 'timeout'])

/**
 * A `fetch` over guarded requests. It differs from the standard one in this: a refusal (address, scheme, redirect,
 * size) rejects with an {@link OutboundError}; `mode`, `cache`, `credentials` and `integrity` mean nothing.
 */
export function createGuardedFetch(send: Send): typeof globalThis.fetch {
  return async (input, init) => {
    const from = input instanceof Request ? input : undefined
    const headers = new Headers(init?.headers ?? from?.headers)
    try {
      const answer = await send(from ? from.url : (input as string | URL), 'silence', {
        method: init?.method ?? from?.method ?? 'GET',
        headers,
        body: await readBody(init?.body ?? from?.body, headers),
        redirect: init?.redirect ?? from?.redirect ?? 'follow',
        signal: init?.signal ?? from?.signal,
        toReader: asFetchError,
      })
      const { status, statusText, body, url, redirected } = answer
      if (status < 200 || status > 599) {
        await body?.cancel()
        throw new OutboundError(
          'bad_response',
          `${targetOf(url).host} answered with the unknown status ${status}.`,
        )
      }
      const response = new Response(body, { status, statusText, headers: answer.headers })
      return Object.defineProperties(response, {
        url: { value: url.href },
        redirected: { value: redirected },
      })
    } catch (error) {
      throw asFetchError(error)
    }
  }
}

/** Forms, blobs and the like become bytes and name their type; a stream stays one. */
async function readBody(
  body: BodyInit | null | undefined,
  headers: Headers,
): Promise<OutboundBody | undefined> {
  if (body === null || body === undefined) return undefined
  if (body instanceof ReadableStream) return body
  const whole = new Response(body)
  const type = whole.headers.get('content-type')
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type)
  return new Uint8Array(await whole.arrayBuffer())
}

function asFetchError(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error
  if (error.reason === 'aborted') return error.cause
  return TRANSIENT.has(error.reason) ? new TypeError('fetch failed', { cause: error }) : error
}
