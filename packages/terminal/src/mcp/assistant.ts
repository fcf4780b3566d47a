import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { clean } from '../render/clean.ts'

/** The headers that mark requests of an assistant and name the consent for them. */
const assistantHeader = 'x-copydesk-assistant'
const consentHeader = 'x-copydesk-consent'

const longestName = 100

/** The name that the assistant reports, in characters allowed in a header. */
export function assistantName({ name, version }: Partial<Implementation>): string {
  const said = [name, version].filter((each) => typeof each === 'string' && each !== '').join(' ')
  const told = clean(said)
    .replace(/[^\x20-\x7e]+/g, '?')
    .trim()
    .slice(0, longestName)
  return told === '' ? 'unnamed' : told
}

/** The MCP client: its name, and whether it can ask the user a question. */
export interface AtTheOtherEnd {
  name: string
  asks: boolean
}

/**
 * Reads the client from a request or, in revisions that declare it only once, from the initialization.
 * @param fallback the name when neither declares one
 */
export function atTheOtherEnd(
  { server }: McpServer,
  { mcpReq: { envelope } }: ServerContext,
  fallback: string,
): AtTheOtherEnd {
  // The SDK validates these two before it passes a request on.
  const told = (envelope ?? {}) as {
    [CLIENT_INFO_META_KEY]?: Implementation
    [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities
  }
  const info = told[CLIENT_INFO_META_KEY] ?? server.getClientVersion()
  const able = told[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  const elicitation = able?.elicitation
  return {
    name: info ? assistantName(info) : fallback,
    // A client that does not mention forms supports them; one that only mentions URLs does not.
    asks: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
  }
}

/**
 * Marks every request as made by an assistant.
 * @param consent id of the consent for an operation: its writes carry it, also as numbered idempotency keys,
 * so that one consent executes the operation once
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
