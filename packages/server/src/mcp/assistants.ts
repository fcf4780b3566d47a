import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Copydesk, Logger } from '@copydesk/core'
import type { McpEndpoint } from '@copydesk/terminal/mcp'
import type { Config } from '../config/schema.ts'

const path = '/mcp'
const largestBody = 1 << 20
/** The headers that an assistant's request to the surfaces takes from the incoming request. */
const handedOn = ['authorization', 'user-agent', 'x-forwarded-for', 'x-tenant-id', 'x-request-id']

export interface Assistants {
  /** @returns false for a request to another endpoint, which was not handled */
  takes(req: IncomingMessage, res: ServerResponse): boolean
  /** Refuses new requests, and waits for the last response. */
  drain(): Promise<void>
}

/**
 * Serves assistants at `/mcp`, beside the surfaces and behind the same pipeline. All their requests go
 * through `/cli/v1`, so that access, limits, tenancy and the audit log apply as to every request.
 */
export function createAssistants(parts: {
  copydesk: Pick<Copydesk, 'attach' | 'fetch' | 'version'>
  config: Pick<Config, 'baseUrl' | 'corsOrigins'>
  log: Logger
  now?: () => number
}): Assistants {
  const { copydesk, config, log, now = Date.now } = parts
  const { baseUrl, corsOrigins } = config
  const origins = new Set([new URL(baseUrl).origin, ...corsOrigins])
  let opened: Promise<McpEndpoint> | undefined
  let active = 0
  let draining = false
  let onIdle: () => void = () => undefined
  // Half a megabyte of code that a server without assistants never needs.
  const open = () => {
    opened ??= import('@copydesk/terminal/mcp').then(({ createMcpEndpoint: createDoor }) =>
      createDoor({
        version: copydesk.version,
        baseUrl,
        now,
        onRefused: (error) => log.debug('An assistant was refused', { error }),
        onFault: (error) => log.error('A tool of an assistant failed', { error }),
      }),
    )
    return opened
  }
  const answer = async (request: Request, from: { ip?: string }): Promise<Response> => {
    if (draining) return restarting()
    const origin = request.headers.get('origin')
    // A web page must not reach a server on the visitor's machine or network.
    if (origin !== null && !origins.has(origin))
      return refusal(403, 'FORBIDDEN', 'This origin is not allowed; see corsOrigins')
    const send: typeof globalThis.fetch = (url, init) => {
      const inner = new Request(url, init)
      for (const name of handedOn) {
        const value = request.headers.get(name)
        if (value !== null) inner.headers.set(name, value)
      }
      return copydesk.fetch(inner, from)
    }
    const door = await open()
    return door.answer(request, send)
  }
  const { node } = copydesk.attach({
    name: 'mcp',
    path,
    like: 'cli',
    maxBodyBytes: largestBody,
    handle: answer,
  })
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    active += 1
    try {
      await node(req, res)
    } finally {
      active -= 1
      if (active === 0) onIdle()
    }
  }
  return {
    takes(req, res) {
      const [asked] = (req.url ?? '').split('?', 1)
      if (asked !== path) return false
      void serve(req, res)
      return true
    },
    async drain() {
      draining = true
      if (active > 0) await new Promise<void>((resolve) => (onIdle = resolve))
      await (await opened)?.close()
    },
  }
}

const restarting = () =>
  refusal(503, 'INTERNAL_ERROR', 'The server is restarting; try again in a moment', { 'retry-after': '1' })

function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}) {
  return Response.json({ error: { code, message } }, { status, headers })
}
