import type { RateLimits } from './port.ts'

/** Each vendor's headers for the same thing; a provider's own limit on all tokens goes before one on input alone. */
const requestHeaders = ['anthropic-ratelimit-requests-limit', 'x-ratelimit-limit-requests']
const tokenHeaders = [
  'anthropic-ratelimit-tokens-limit',
  'anthropic-ratelimit-input-tokens-limit',
  'x-ratelimit-limit-tokens',
]

/** What a provider admits in a minute, as the headers of an answer say; undefined when they say nothing. */
export function limitsIn(headers: Readonly<Record<string, string>> | undefined): RateLimits | undefined {
  const requests = first(headers, requestHeaders)
  const tokens = first(headers, tokenHeaders)
  if (requests === undefined && tokens === undefined) return undefined
  return { ...(requests !== undefined && { requests }), ...(tokens !== undefined && { tokens }) }
}

function first(headers: Readonly<Record<string, string>> = {}, names: readonly string[]): number | undefined {
  for (const name of names) {
    const text = headers[name]
    if (text !== undefined && /^\d{1,9}$/.test(text)) return Number(text)
  }
  return undefined
}
