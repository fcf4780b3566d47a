import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { clean } from '../paper/clean.ts'

/** The headers by which the requests of an assistant say so, and what a person has agreed to. */
const assistantHeader = 'x-copydesk-assistant'
const consentHeader = 'x-copydesk-consent'

const longestName = 100

/** The assistant as it names itself, in letters that can stand in a header. */
export function assistantName({ name, version }: Partial<Implementation>): string {
  const said = [name, version].filter((each) => typeof each === 'string' && each !== '').join(' ')
  const told = clean(said)
    .replace(/[^\x20-\x7e]+/g, '?')
    .trim()
    .slice(0, longestName)
  return told === '' ? 'unnamed' : told
}

/** Who is at the other end, and whether it can ask its person something. */
export interface AtTheOtherEnd {
  name: string
  asks: boolean
}

/**
 * From what a request says of its client or, in revisions that say it once, from what the connection began with.
 * @param fallback the name where neither says one
 */
export function atTheOtherEnd(
  { server }: McpServer,
  { mcpReq: { envelope } }: ServerContext,
  fallback: string,
): AtTheOtherEnd {
  // The SDK checks these two before it hands a request on.
  const told = (envelope ?? {}) as {
    [CLIENT_INFO_META_KEY]?: Implementation
    [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities
  }
  const info = told[CLIENT_INFO_META_KEY] ?? server.getClientVersion()
  const able = told[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  const elicitation = able?.elicitation
  return {
    name: info ? assistantName(info) : fallback,
    // One that says nothing of forms has them; one that only names URLs has not.
    asks: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
  }
}

/**
 * Says in every request that an assistant makes it.
 * @param consent id of the consent that an act is carried out under: its writes name it, and carry it as their idempotency
 *   keys, numbered, so that what was agreed to once is done once
 */
export function marked(
  fetch: typeof globalThis.fetch,
  assistant: string,
  consent?: string,
): typeof globalThis.fetch {
  let writes = 0
  return (url, init) => {
    const headers = new Headers(init?.headers)
    headers.set(assistantHeader, assistant)
    if (consent !== undefined) {
      headers.set(consentHeader, consent)
      if (init?.method === 'POST') headers.set('idempotency-key', `${consent}-${++writes}`)
    }
    return fetch(url, { ...init, headers })
  }
}
