import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createModelRegistry } from './domain/agents/models.ts'
import type { Ctx, Principal, Scope, Trace } from './domain/context.ts'
import { entities } from './domain/entities.ts'
import { createRevocations } from './domain/identity/revocations.ts'
import { createTokens } from './domain/identity/tokens.ts'
import { migrations } from './domain/migrations/migrations.ts'
import { jobHandlers } from './domain/jobs.ts'
import { createDeltas } from './domain/runs/deltas.ts'
import { leaseOwner } from './domain/runs/owner.ts'
import { createSequencer } from './domain/runs/sequencer.ts'
import type { Services } from './domain/services.ts'
import { createDirectoryBlobs } from './platform/blobs.ts'
import { createMemoryCache } from './platform/cache.ts'
import { type Clock, createIds, createSystemClock, type NewId } from './platform/clock.ts'
import { createBox } from './platform/crypto/box.ts'
import { createPasswords } from './platform/crypto/password.ts'
import { type Database, openDatabase } from './platform/database/database.ts'
import { createBroadcast } from './platform/events/broadcast.ts'
import { createEventLog } from './platform/events/log.ts'
import { createHttpClient } from './platform/http/client.ts'
import { createJobQueue } from './platform/jobs/queue.ts'
import type { Logger } from './platform/log.ts'
import { createLogger } from './platform/logger.ts'
import type { ModelProvider } from './platform/models/port.ts'
import { createBuiltinWriter } from './platform/models/writer/writer.ts'

/** A source of models beside the built-in writer. */
export interface ProviderConfig {
  id: string
  type: 'hosted_a' | 'hosted_b' | 'local' | 'custom'
  apiKey?: string
  baseUrl?: string
  models: string[]
}

export interface CopydeskOptions {
  /** `sqlite:<path>`, a path, or `postgres://…`. */
  database: string
  /** Folder for files; created when missing. */
  dataDir: string
  /** AES-256 keys, base64 of 32 bytes; the first seals, all of them open. */
  encryptionKeys: Array<{ id: string; key: string }>
  /** Secrets of 32 characters or more; the first signs, all of them verify. */
  signingKeys: Array<{ id: string; secret: string }>
  /** Where this instance is reached from outside. */
  baseUrl: string
  environment?: 'production' | 'development'
  log?: Logger
  clock?: Clock
  trustProxy?: string[]
  corsOrigins?: string[]
  /** Hosts in private networks that may be called; everything else there is refused. */
  allowHosts?: string[]
  providers?: ProviderConfig[]
  /** Default: the first model of the first provider, else the built-in writer. */
  defaultModel?: string
  /** File of the API reference's script, served at `/docs`. */
  referencePage?: string
  /** Runs at the same time; false serves only. */
  worker?: { concurrency: number; leaseMs?: number } | false
  /** SQLite: `off` is for tests that throw the file away. */
  synchronous?: 'full' | 'off'
  /** Milliseconds between two pieces of text of the built-in writer. */
  writerPaceMs?: number
  onUndeclaredError?(fault: { endpoint: string; code: string; error: unknown }): void
}

/** The parts of one instance, and the ways to a context. */
export interface Assembled {
  options: CopydeskOptions
  db: Database
  clock: Clock
  newId: NewId
  log: Logger
  services: Services
  /** Names this process in leases. */
  owner: string
  /** Called when a run may be waiting. */
  onRun: { wake(): void }
  contextFor(given: { actor: Principal; tenantId?: string; scope?: Scope; trace?: Trace; log?: Logger }): Ctx
  /** Reaches every tenant, acts as the installation itself. */
  system(): Ctx
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
  const { synchronous, allowHosts } = options
  const db = await openDatabase({
    url: options.database,
    entities,
    migrations,
    log,
    ...(synchronous && { synchronous }),
  })
  const onRun = { wake: () => undefined as void }
  const broadcast = createBroadcast()
  const owner = leaseOwner(randomBytes(6).toString('hex'))
  const http = createHttpClient({ log, ...(allowHosts && { allowHosts }) })
  const deltas = createDeltas({ db, broadcast, clock, log, node: owner })
  const providers = await buildProviders(options, clock, http.guardedFetch)
  const events = createEventLog({ db, clock, log })
  const self = {} as Assembled
  const services: Services = {
    jobs: createJobQueue({ db, clock, newId, log, handlers: jobHandlers(() => self.system()) }),
    events,
    broadcast,
    deltas,
    sequencer: createSequencer({ deltas, clock }),
    box: createBox({
      keys: options.encryptionKeys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') })),
      currentId: options.encryptionKeys[0]?.id ?? '',
    }),
    blobs: createDirectoryBlobs(join(options.dataDir, 'blobs')),
    cache: createMemoryCache({ clock }),
    http,
    models: createModelRegistry(providers, options.defaultModel ?? providers[0]?.models[0] ?? ''),
    tokens: createTokens({ signingKeys: options.signingKeys, clock }),
    passwords: createPasswords(),
    revocations: createRevocations({ events, clock }),
    settings: { baseUrl: options.baseUrl.replace(/\/$/, ''), live: options.environment === 'production' },
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
    owner,
    onRun,
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
    close: () => db.close(),
  } satisfies Assembled)
}

async function buildProviders(
  options: CopydeskOptions,
  clock: Clock,
  fetch: typeof globalThis.fetch,
): Promise<ModelProvider[]> {
  const paceMs = options.writerPaceMs
  const writer = createBuiltinWriter({ clock, ...(paceMs !== undefined && { paceMs }) })
  if (!options.providers?.length) return [writer]
  // A megabyte of code that an installation without a provider never needs.
  const { createSdkProvider } = await import('./platform/models/sdk.ts')
  return [...options.providers.map((provider) => createSdkProvider({ ...provider, fetch })), writer]
}
