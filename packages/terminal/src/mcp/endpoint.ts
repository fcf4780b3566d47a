import { randomBytes } from 'node:crypto'
import { createClient } from '@copydesk/client'
import { createMcpHandler, type Implementation, readRequestBody } from '@modelcontextprotocol/server'
import { assistantName, marked } from './assistant.ts'
import { type Caller, createAssistantServer } from './tools.ts'

export interface McpEndpointOptions {
  version: string
  /** Base URL of the typed client's requests, without a path. */
  baseUrl: string
  /** Milliseconds since the epoch. */
  now(): number
  /** Called for malformed requests. */
  onRefused(error: Error): void
  /** Called for internal errors. */
  onFault(error: unknown): void
}

/** Sends requests to the surfaces with the credential of the caller, from the caller's address. */
type Send = typeof globalThis.fetch

export interface McpEndpoint {
  /**
   * One request of the streamable HTTP transport. There are no sessions: each request carries its credential
   * and can do what that allows an assistant at this moment.
   * @returns the error of `/cli/v1` unchanged when the credential is rejected there
   */
  answer(request: Request, send: Send): Promise<Response>
  close(): Promise<void>
}

interface Visitor {
  send: Send
  caller: Caller
  name: string
}

const largestBody = 1 << 20
const sessionHeader = 'mcp-session-id'
const sessionForm = /^([\w-]{1,140})\.[\w-]{22}$/

/** The MCP endpoint of a server. */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { version, now, onFault } = options
  const baseUrl = options.baseUrl.replace(/\/$/, '')
  const handler = createMcpHandler(
    ({ authInfo }) => {
      if (!authInfo) throw new Error('MCP request without a valid credential')
      const { send, caller, name } = authInfo.extra as unknown as Visitor
      const contextFor = (assistant: string, consent?: string) => ({
        client: createClient({ baseUrl, fetch: marked(send, assistant, consent) }),
        now,
      })
      const toolContext = { contextFor, caller, where: baseUrl, fallbackName: name, onFault }
      return createAssistantServer(toolContext, version)
    },
    // Tools do not change during a connection: there is no stream to open.
    { onerror: options.onRefused, maxRequestBodySize: largestBody, maxSubscriptions: 0 },
  )
  return {
    async answer(request, send) {
      const name = nameIn(request)
      const who = await marked(send, name)(`${baseUrl}/cli/v1/me`, { signal: request.signal })
      if (!who.ok) return who
      const visitor: Visitor = { send, caller: (await who.json()) as Caller, name }
      const authInfo = { token: '', clientId: name, scopes: [], extra: { ...visitor } }
      if (request.method !== 'POST') return handler.fetch(request, { authInfo })
      const body = await readRequestBody(request, largestBody)
      if (body.tooLarge) return tooLarge()
      const parsed = parse(body.text)
      const { url, method, headers, signal } = request
      const again = new Request(url, { method, headers, signal, body: body.text })
      const response = await handler.fetch(again, { authInfo, ...(parsed && { parsedBody: parsed.value }) })
      const newcomer = whoIntroduces(parsed?.value)
      if (newcomer) response.headers.set(sessionHeader, sessionOf(newcomer))
      return response
    },
    close: handler.close,
  }
}

function tooLarge(): Response {
  const message = `The request of an assistant must have at most ${largestBody} bytes`
  return Response.json({ error: { code: 'PAYLOAD_TOO_LARGE', message } }, { status: 413 })
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** Clients of older revisions declare their name only during initialization. */
function whoIntroduces(message: unknown): Partial<Implementation> | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { clientInfo?: unknown } }
  if (method !== 'initialize') return undefined
  return (params?.clientInfo ?? {}) as Partial<Implementation>
}

/** The session id of such a client. It contains the name and grants no rights: the credential does. */
function sessionOf(client: Partial<Implementation>): string {
  const name = Buffer.from(assistantName(client)).toString('base64url')
  return `${name}.${randomBytes(16).toString('base64url')}`
}

function nameIn({ headers }: Request): string {
  const [, name] = sessionForm.exec(headers.get(sessionHeader) ?? '') ?? []
  const told = name === undefined ? headers.get('user-agent') : Buffer.from(name, 'base64url').toString()
  return assistantName({ name: told ?? '' })
}
