import { randomBytes } from 'node:crypto'
import { createChannels } from '../domain/accounts/channels/clients.ts'
import { leaseOwner } from '../domain/work/runs/queue/lease.ts'
import type { Ctx, Principal, Scope, Trace } from '../kernel/context.ts'
import type { Services } from '../kernel/services.ts'
import { type Clock, createIds, createSystemClock, type NewId } from '../platform/clock.ts'
import { type Counters, createMemoryCounters } from '../platform/counters/counters.ts'
import { createSharedCounters } from '../platform/counters/shared.ts'
import { type Database, openDatabase } from '../platform/database/database.ts'
import { openedLater } from '../platform/database/discovery.ts'
import type { Logger } from '../platform/log.ts'
import { createLogger } from '../platform/logger.ts'
import type { Redis } from '../platform/redis.ts'
import { createRedis } from '../platform/redis-connection.ts'
import { type Bree, createBree } from '../platform/threads/bree.ts'
import { migrations } from './migrations/migrations.ts'
import type { CopydeskOptions, Keys } from './options.ts'
import { boxKeys, createServices } from './services.ts'

/** The parts of one instance, and the ways to a context. */
export interface Assembled {
  options: CopydeskOptions
  db: Database
  clock: Clock
  newId: NewId
  log: Logger
  /** Without its joins until these are asked for, where an instance is assembled with `joins: 'later'`. */
  services: Services
  /** Loads what contexts of the domain do for each other, once. Nothing that changes anything goes without it. */
  join(): Promise<void>
  counters: Counters
  redis: Redis | undefined
  bree: Bree
  /** Names this process in leases. */
  owner: string
  /** Tells those who make requests wait that this instance is to stop. */
  beginStop(): void
  /** Called when a run may be waiting. */
  onRun: { wake(): void }
  /** Set by the gateway: how many streams it has open. */
  streams: { count(): number }
  contextFor(given: { actor: Principal; tenantId?: string; scope?: Scope; trace?: Trace; log?: Logger }): Ctx
  /** Reaches every tenant, acts as the installation itself. */
  system(): Ctx
  /** Works with other keys from now on. @throws TypeError on keys that cannot be used */
  useKeys(keys: Keys): void
  close(): Promise<void>
}

const systemActor: Principal = {
  id: 'system',
  type: 'human',
  role: 'super_admin',
  appAccess: ['manage', 'dm-portal'],
  name: 'Copydesk',
  tenants: 'all',
}

/**
 * @param joins `later` leaves them to `join`: a server that starts answers sooner without half of the domain
 */
export async function assemble(
  options: CopydeskOptions,
  { joins = 'now' }: { joins?: 'now' | 'later' } = {},
): Promise<Assembled> {
  const clock = options.clock ?? createSystemClock()
  const newId = createIds(clock)
  const log = options.log ?? createLogger({})
  const { synchronous } = options
  const channels = createChannels(options.channels)
  const db = await openDatabase({
    ...(typeof options.database === 'string' ? { url: options.database } : options.database),
    entities: async () => (await import('./entities.ts')).entities,
    migrations,
    log,
    ...(synchronous && { synchronous }),
  })
  const onRun = { wake: () => undefined as void }
  const streams = { count: () => 0 }
  const owner = leaseOwner(randomBytes(6).toString('hex'))
  const bree = createBree({ log })
  const redis = options.redis && createRedis({ ...options.redis, log })
  const counters = redis ? shareCounters(options, redis, clock, log) : createMemoryCounters(clock)
  const stopping = new AbortController()
  const self = {} as Assembled
  const services = (await createServices({
    options,
    db,
    clock,
    newId,
    log,
    counters,
    redis,
    bree,
    owner,
    channels,
    system: () => self.system(),
    reloadKeys: atMostEvery(1_000, clock, () => {
      const keys = options.reloadKeys?.()
      if (keys) self.useKeys(keys)
    }),
    openStreams: () => streams.count(),
    stopping: stopping.signal,
    wakeDispatcher: () => onRun.wake(),
  })) as Services
  const joining = openedLater(async () => {
    Object.assign(services, (await import('./joins.ts')).joins)
  })
  if (joins === 'now') await joining.get()
  const trace = (): Trace => ({
    requestId: newId(),
    surface: 'system',
    method: 'CALL',
    path: '',
    startedAt: clock.now(),
    audited: false,
  })
  return Object.assign(self, {
    options,
    db,
    clock,
    newId,
    log,
    services,
    join: joining.get,
    counters,
    redis,
    bree,
    owner,
    onRun,
    streams,
    contextFor: ({ actor, tenantId, ...given }) => ({
      scope:
        given.scope ?? (tenantId ? [tenantId] : (actor.tenants ?? (actor.tenantId ? [actor.tenantId] : []))),
      actor,
      trace: given.trace ?? trace(),
      db,
      sql: db.sql,
      clock,
      newId,
      log: given.log ?? log,
      services,
    }),
    system: () => self.contextFor({ actor: systemActor, scope: 'all' }),
    useKeys(keys) {
      services.encryptor.replace(boxKeys(keys))
      services.tokens.replaceKeys(keys.signingKeys)
    },
    beginStop: () => stopping.abort(),
    async close() {
      await services.threads.close()
      await services.parser.close()
      await services.pdf.close()
      await services.embedder?.close()
      await redis?.close()
      await db.close()
    },
  } satisfies Assembled)
}

function shareCounters(options: CopydeskOptions, redis: Redis, clock: Clock, log: Logger): Counters {
  const leaseMs = options.redis?.leaseMs
  const time = options.clock ? 'clock' : 'redis'
  return createSharedCounters({ redis, clock, log, time, ...(leaseMs !== undefined && { leaseMs }) })
}

/** A forged token must not make every request read a file. */
function atMostEvery(ms: number, clock: Clock, work: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    if (clock.now() - last < ms) return
    last = clock.now()
    work()
  }
}
