import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock, NewId } from '../platform/clock.ts'
import { type Counters, createMemoryCounters } from '../platform/counters/counters.ts'
import type { Logger } from '../platform/log.ts'
import { type ClientIp, createClientIp } from './client-ip.ts'
import { type Cors, createCors } from './cors.ts'
import type { GatewayOptions, Ports } from './ports.ts'
import { createStreamRegistry, type StreamRegistry } from './stream-registry.ts'

export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>
export type Fetch = (request: Request, from?: { ip?: string | undefined }) => Promise<Response>

/** One door, usable on its own. */
export interface MountedSurface {
  fetch: Fetch
  node: NodeHandler
}

/** What all requests of one gateway share. */
export interface Runtime {
  readonly ports: Ports
  readonly options: GatewayOptions
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Logger
  readonly counters: Counters
  readonly streams: StreamRegistry
  readonly cors: Cors
  readonly maxBodyBytes: number
  readonly maxStreams: number
  /** On every answer; names and values in turn. */
  readonly safety: readonly string[]
  readonly clientIp: ClientIp
  /** Said once: requests come without an address, so that callers cannot be told apart. */
  warnAddressless(): void
  /** Requests that are not answered to the end. */
  active: number
  draining: boolean
  /** Called when the last of them is, while draining. */
  onIdle: (() => void) | undefined
}

/** Fills in the defaults. */
export function createRuntime(ports: Ports, options: GatewayOptions): Runtime {
  const { clock } = options
  return {
    ports,
    options,
    clock,
    newId: options.newId,
    log: options.log,
    counters: ports.counters ?? createMemoryCounters(clock),
    streams: createStreamRegistry(clock, options.heartbeatMs ?? 15_000, options.maxStreamBuffer ?? 1 << 20),
    cors: createCors(options.cors),
    maxBodyBytes: options.maxBodyBytes ?? 1 << 20,
    maxStreams: options.maxStreams ?? 5,
    safety: [
      'X-Content-Type-Options',
      'nosniff',
      'X-Frame-Options',
      'DENY',
      'Referrer-Policy',
      'no-referrer',
      ...(options.hsts ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
    ],
    clientIp: createClientIp(options.trustProxy),
    warnAddressless: once(() =>
      options.log.warn(
        'Requests come without the address of their caller, so that limits cannot tell callers apart and are wide for all of them together: pass it to fetch as fetch(request, { ip }); docs/embedding.md says where each host has it',
      ),
    ),
    active: 0,
    draining: false,
    onIdle: undefined,
  }
}

function once(fn: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    fn()
  }
}
