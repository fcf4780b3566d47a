import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createCommands } from './domain/agents/commands/commands.ts'
import { createChannels } from './domain/channels/clients.ts'
import type { Ctx, Principal, Scope, Trace } from './domain/context.ts'
import { entities } from './domain/entities.ts'
import { tooManyHashes } from './domain/identity/login-limit.ts'
import { readinessFreshness } from './domain/health.ts'
import { createRevocations } from './domain/identity/revocations.ts'
import { createTokens } from './domain/identity/tokens.ts'
import { usualMailLimits } from './domain/mail/outside.ts'
import { migrations } from './domain/migrations/migrations.ts'
import { jobCaps, jobHandlers } from './domain/jobs.ts'
import { createModelRegistry, type ProviderAccess } from './domain/models/registry.ts'
import { createDeltas } from './domain/runs/deltas.ts'
import { leaseOwner } from './domain/runs/owner.ts'
import { createSequencer } from './domain/runs/sequencer.ts'
import { createTextThreads } from './domain/in-thread.ts'
import { defaultQuotas } from './domain/tenants/quota-queries.ts'
import { toMicros } from './domain/money.ts'
import type { Services } from './domain/services.ts'
import { defaultFreeTenants } from './domain/tenants/free-tenants.ts'
import type { CopydeskOptions, Keys } from './options.ts'
import { buildProvider, configuredProviders } from './providers.ts'
import { createDirectoryBlobs } from './platform/blobs.ts'
import { createMemoryCache } from './platform/cache.ts'
import { type Clock, createIds, createSystemClock, type NewId } from './platform/clock.ts'
import { createCoalesced } from './platform/coalesced.ts'
import type { Counters } from './platform/counters/counters.ts'
import { createMemoryCounters } from './platform/counters/memory.ts'
import { createSharedCounters } from './platform/counters/shared.ts'
import { type BoxKeys, createBox } from './platform/crypto/box.ts'
import { createPasswords } from './platform/crypto/password.ts'
import { type Database, openDatabase } from './platform/database/database.ts'
import { createBroadcast } from './platform/events/broadcast.ts'
import { createEventLog } from './platform/events/log.ts'
import { createHttpClient } from './platform/http/client.ts'
import { createJobQueue } from './platform/jobs/queue.ts'
import type { Logger } from './platform/log.ts'
import { createLogger } from './platform/logger.ts'
import { createPdfMaker } from './platform/pdf/pdf.ts'
import { createMailSender } from './platform/mail/sender.ts'
import { toPriceTable } from './platform/models/prices.ts'
import { createFolders } from './platform/processes/folders.ts'
import { createProcesses } from './platform/processes/processes.ts'
import { createPush } from './platform/push/senders.ts'
import { createRedis, type Redis } from './platform/redis.ts'
import { createSharedCache } from './platform/shared-cache.ts'

/** The parts of one instance, and the ways to a context. */
export interface Assembled {
  options: CopydeskOptions
  db: Database
  clock: Clock
  newId: NewId
  log: Logger
  services: Services
  counters: Counters
  redis: Redis | undefined
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

export async function assemble(options: CopydeskOptions): Promise<Assembled> {
  const clock = options.clock ?? createSystemClock()
  const newId = createIds(clock)
  const log = options.log ?? createLogger({})
  const { synchronous, passwordCost, allowHosts, mail = {} } = options
  const baseUrl = options.baseUrl.replace(/\/$/, '')
  const channels = createChannels(options.channels)
  const db = await openDatabase({
    url: options.database,
    entities,
    migrations,
    log,
    ...(synchronous && { synchronous }),
  })
  const onRun = { wake: () => undefined as void }
  const streams = { count: () => 0 }
  const broadcast = createBroadcast()
  const owner = leaseOwner(randomBytes(6).toString('hex'))
  const http = createHttpClient({ log, ...(allowHosts && { allowHosts }) })
  const deltas = createDeltas({ db, broadcast, clock, log, node: owner })
  const build = (access: ProviderAccess) => buildProvider(access, http.guardedFetch, clock)
  const threads = createTextThreads()
  const configured = await configuredProviders(options, clock, build, threads)
  const events = createEventLog({ db, clock, log })
  const redis = options.redis && createRedis({ ...options.redis, log })
  const counters = redis ? shareCounters(options, redis, clock, log) : createMemoryCounters(clock)
  const stopping = new AbortController()
  const self = {} as Assembled
  const reloadKeys = atMostEvery(1_000, clock, () => {
    const keys = options.reloadKeys?.()
    if (keys) self.useKeys(keys)
  })
  const box = createBox({ ...boxKeys(options), onUnknown: reloadKeys })
  const services: Services = {
    jobs: createJobQueue({
      db,
      clock,
      newId,
      log,
      handlers: jobHandlers(() => self.system()),
      caps: jobCaps,
    }),
    events,
    broadcast,
    deltas,
    threads,
    comparisons: new Map(),
    pdf: createPdfMaker(),
    sequencer: createSequencer({ deltas, clock }),
    box,
    blobs: createDirectoryBlobs(join(options.dataDir, 'blobs')),
    counters,
    cache: redis ? createSharedCache({ redis, clock }) : createMemoryCache({ clock }),
    http,
    mail: createMailSender({ options: mail, baseUrl, folder: join(options.dataDir, 'mail'), clock, log }),
    push: createPush({ options: options.push ?? {}, http, clock }),
    models: createModelRegistry({
      configured,
      defaultModel: options.defaultModel ?? configured[0]?.models[0] ?? '',
      fallback: options.models?.fallback ?? [],
      prices: toPriceTable(options.models?.prices ?? []),
      build,
      db,
      box,
      events,
      log,
    }),
    commands: createCommands({
      commands: options.commands ?? {},
      environment: process.env,
      processes: createProcesses({ folder: join(options.dataDir, 'agents'), clock, log }),
      folders: createFolders(join(options.dataDir, 'agents')),
    }),
    tokens: createTokens({ signingKeys: options.signingKeys, clock, onUnknownKey: reloadKeys }),
    passwords: createPasswords({ refuse: tooManyHashes, ...(passwordCost && { cost: passwordCost }) }),
    revocations: createRevocations({ db, events, clock }),
    channels,
    payments: options.payments ?? null,
    settings: {
      baseUrl,
      links: (mail.links ?? baseUrl).replace(/\/+$/, ''),
      appScheme: options.appScheme ?? 'copydesk',
      live: options.environment === 'production',
      owner,
      quotas: { ...defaultQuotas, ...options.quotas },
      mailLimits: { ...usualMailLimits, ...mail.limits },
      registration: options.registration ?? 'closed',
      freeTenants: {
        perDay: options.freeTenants?.perDay ?? defaultFreeTenants.perDay,
        monthlyMicros: toMicros(options.freeTenants?.monthlyUsd ?? defaultFreeTenants.monthlyUsd),
      },
    },
    readiness: createCoalesced({ clock, ...readinessFreshness }),
    openStreams: () => streams.count(),
    stopping: stopping.signal,
    wakeDispatcher: () => onRun.wake(),
  }
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
    counters,
    redis,
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
      services.box.replace(boxKeys(keys))
      services.tokens.replaceKeys(keys.signingKeys)
    },
    beginStop: () => stopping.abort(),
    async close() {
      await services.threads.close()
      await services.pdf.close()
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

function boxKeys({ encryptionKeys }: Keys): BoxKeys {
  return {
    keys: encryptionKeys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') })),
    currentId: encryptionKeys[0]?.id ?? '',
  }
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
