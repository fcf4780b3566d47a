import type { z } from 'zod'
import type { HttpClient } from '../../../../platform/http/client.ts'

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Begins with `/`. */
  path: string
  headers?: Record<string, string>
  body?: string
  signal: AbortSignal
}

/** Calls a provider; what it answers is read by `reply`. */
export type ProviderCalls = <S extends z.ZodType>(reply: S, request: ProviderRequest) => Promise<z.output<S>>

/** A provider has said no, and would say so again. */
export class PaymentRefusal extends Error {
  readonly final = true
}

/** Refusals that are over in a moment. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429])

/** @param headers are sent with every call */
export function createProviderCalls(
  http: HttpClient,
  { baseUrl, headers }: { baseUrl: string; headers: Record<string, string> },
): ProviderCalls {
  return async (reply, { path, method, signal, body, ...more }) => {
    const answer = await http.request(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      method,
      headers: { ...headers, ...more.headers },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      maxBytes: 256 * 1024,
      signal,
    })
    const { status } = answer
    if (status === 200 || status === 201) return reply.parse(await answer.json())
    // What the provider says of a fault may name the customer; the status is enough to look it up there.
    const message = `The payment provider answered ${status} to ${method} ${path}`
    throw status >= 400 && status < 500 && !passing.has(status)
      ? new PaymentRefusal(message)
      : new Error(message)
  }
}
