import type { Ctx } from '../../../kernel/context.ts'
import { OutboundError } from '../../../platform/http/outbound-error.ts'
import { address, withoutEnd } from './addresses.ts'
import { longestPost } from './piece.ts'
import type { LinkState } from './schemas.ts'

/** Links of one text that are asked for, and how many at a time. */
const mostLinks = 20
const atOnce = 10
/** How long one answer is waited for, and all of them together, milliseconds. */
const answerMs = 5_000
const allMs = 15_000

/** The addresses in a text, pictures included, each once, in order; those of a very long text up to its limit. */
export function linksIn(text: string): string[] {
  const found = text.slice(0, longestPost).match(address) ?? []
  return [...new Set(found.map(withoutEnd))].filter((one) => URL.canParse(one))
}

/**
 * Opens the links of a text as a reader would, the first twenty of them; nothing of an answer is kept.
 * @returns in the order of the text; `unclear` is a server that answers programs otherwise than people, or not now
 */
export async function checkLinks(ctx: Ctx, text: string): Promise<LinkState[]> {
  const links = linksIn(text)
  const beyond: LinkState[] = links.slice(mostLinks).map((url) => ({ url, state: 'unchecked', words: null }))
  const first = links.slice(0, mostLinks)
  const signal = AbortSignal.timeout(allMs)
  const checked: LinkState[] = []
  for (let at = 0; at < first.length; at += atOnce)
    checked.push(...(await Promise.all(first.slice(at, at + atOnce).map((url) => check(ctx, url, signal)))))
  return [...checked, ...beyond]
}

async function check(ctx: Ctx, url: string, signal: AbortSignal): Promise<LinkState> {
  try {
    return stateOf(url, await answerOf(ctx, url, { signal, timeoutMs: answerMs }))
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return stateOfFailure(url, error)
  }
}

type Within = { signal: AbortSignal; timeoutMs: number }

/** The status that a page answers with, behind its redirects. @throws OutboundError */
export async function answerOf(ctx: Ctx, url: string, within: Within): Promise<number> {
  const head = await statusOf(ctx, url, 'HEAD', within)
  // Many servers know pages but not this question about them.
  return head < 400 ? head : statusOf(ctx, url, 'GET', within)
}

async function statusOf(ctx: Ctx, url: string, method: 'HEAD' | 'GET', within: Within): Promise<number> {
  const { status, body } = await ctx.services.http.request(url, { method, ...within })
  await body.cancel().catch(() => undefined)
  return status
}

function stateOf(url: string, status: number): LinkState {
  if (status < 400) return { url, state: 'ok', words: null }
  const gone = status === 404 || status === 410
  return { url, state: gone ? 'broken' : 'unclear', words: `It answers ${status}` }
}

function stateOfFailure(url: string, { reason, message }: OutboundError): LinkState {
  const lasting = ['dns', 'connect', 'redirect', 'bad_url', 'credentials', 'scheme']
  // What is not public may not be told from what is not there.
  if (reason === 'address') return { url, state: 'broken', words: 'No public address' }
  return { url, state: lasting.includes(reason) ? 'broken' : 'unclear', words: message.slice(0, 200) }
}
