import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { assemble } from './composition/assemble.ts'
import { checkOptions } from './composition/check-options.ts'
import type { Finding } from './composition/finding.ts'
import { keysInUse, proveKey, reencrypt } from './composition/keys/keys.ts'
import { afterJoins, calledLater, workLater } from './composition/later.ts'
import { migrations } from './composition/migrations/migrations.ts'
import type { CopydeskOptions, Keys } from './composition/options.ts'
import { createPorts } from './composition/ports.ts'
import { createStorageApi, type StorageApi } from './composition/storage.ts'
import type { SystemApi } from './composition/system.ts'
import type { AttachedPath } from './gateway/attach.ts'
import type { Caller } from './gateway/call.ts'
import { trustedProxies } from './gateway/client-ip.ts'
import type { EndpointInfo } from './gateway/info.ts'
import { createGateway, type Gateway } from './gateway/mount.ts'
import type { AnySurface } from './gateway/surface.ts'
import type { Principal } from './kernel/context.ts'
import {
  type MigrationStatus,
  migrateDown,
  migrateUp,
  migrationStatus,
  requireCurrentSchema,
} from './platform/database/migrate.ts'
import { version } from './platform/version.ts'
import { laterSurfaces, openApiDocument } from './surfaces/load.ts'
import { docs } from './surfaces/root/docs.ts'
import { root } from './surfaces/root/index.ts'
import type { surfaces as builtIn } from './surfaces/surfaces.ts'

export type { Finding } from './composition/finding.ts'
export type { CopydeskOptions, Keys, ProviderConfig } from './composition/options.ts'
export type { SystemApi } from './composition/system.ts'
export type {
  CancelRequest,
  ChangeRequest,
  Checkout,
  CheckoutRequest,
  PaymentProvider,
  ProviderCall,
  ProviderEvent,
  ProviderEvents,
} from './domain/accounts/billing/payments.ts'
export type { ChannelOptions } from './domain/accounts/channels/clients.ts'
export type { CommandOptions, LineRule } from './domain/work/runs/commands/options.ts'
export type { AttachedPath } from './gateway/attach.ts'
export type { Caller } from './gateway/call.ts'
export type { EndpointInfo } from './gateway/info.ts'
export type { Principal } from './kernel/context.ts'
export { DomainError } from './kernel/errors.ts'
export type { StorageOptions } from './platform/blobs/place.ts'
export type { Clock } from './platform/clock.ts'
export { DatabaseError } from './platform/database/database.ts'
export type { EmbeddingsOptions } from './platform/embeddings/embedder.ts'
export type { PhotoSearchOptions } from './platform/images/photo-search.ts'
export type { Logger } from './platform/log.ts'
export { createLogger } from './platform/logger.ts'
export type { MailOptions } from './platform/mail/sender.ts'
export type { PushOptions } from './platform/push/senders.ts'
export type { RerankOptions } from './platform/reranking/reranker.ts'
export type { SmsServiceOptions } from './platform/sms/rest.ts'
export { SmsError, type SmsOutcome, type SmsSender, type TextMessage } from './platform/sms/sms.ts'
export { version } from './platform/version.ts'
export { describeSurfaces, openApiDocument } from './surfaces/load.ts'

/** The wire types of every endpoint, for `@copydesk/client`. */
export type Surfaces = typeof builtIn

/** One instance of Copydesk: its doors, its worker, and its services. Several live side by side in one process. */
export interface Copydesk {
  /**
   * Answers a request of any surface; mount it where a fetch handler goes.
   * @param from the caller's address where the server knows it: rate limits of callers without a credential count by it
   */
  fetch(request: Request, from?: { ip?: string | undefined }): Promise<Response>
  /** The same for `node:http`, Express and Connect. */
  node(req: IncomingMessage, res: ServerResponse): Promise<void>
  /**
   * Answers what `node:http` refuses by itself, before there is a request; for `server.on('clientError', …)`. Without it such
   * answers have neither a body nor an id.
   */
  clientError(error: Error, socket: Duplex): void
  /**
   * Another path behind the same pipeline: request id, credential, limits, headers, log and draining are those of every request.
   * The program routes requests for that path there.
   */
  attach(attachment: AttachedPath): Pick<Gateway, 'fetch' | 'node'>
  /** One surface on its own, by name. */
  surface(name: string): Pick<Gateway, 'fetch' | 'node'>
  migrations: {
    status(): Promise<MigrationStatus>
    /** @returns the names of the applied steps */
    up(to?: string): Promise<string[]>
    down(to?: string): Promise<string[]>
    /** The SQL of the pending steps, without running it. */
    plan(): Promise<Array<{ name: string; sql: readonly string[] }>>
  }
  /** Creates what every installation has: master agents, templates and plans. Doing it again changes nothing. */
  setUp(): Promise<void>
  /**
   * Starts events and, unless `worker` is false, the work on jobs and runs.
   * @param begin.work `later` leaves that to `work`: a server that is to answer soon
   * @throws DatabaseError on a schema that is not the current one
   */
  start(begin?: { work?: 'now' | 'later' }): Promise<void>
  /** Begins the work on jobs and runs that `start` has left for later. */
  work(): Promise<void>
  /** Loads what the first request would wait for otherwise, whichever surface it is for: the router and the ORM. */
  loadRest(): Promise<void>
  /** Ends the streams, lets requests, jobs and runs finish, and closes the database. */
  stop(): Promise<void>
  keys: {
    /** Works with other keys from now on, without a restart. @throws TypeError on keys that cannot be used */
    replace(keys: Keys): void
    /** Encrypts again what is sealed with an older key. @returns how many texts */
    reencrypt(): Promise<number>
    /** How many sealed texts each encryption key still has to open, by the id of the key. */
    inUse(): Promise<Record<string, number>>
  }
  storage: StorageApi
  routes(): Promise<EndpointInfo[]>
  openapi(): Promise<object>
  /**
   * Calls endpoints in process as one person, API key or run: `copydesk.as(person).call('dm.approvals.claim', { params })`. Each runs by its own
   * definition, with the access, schemas and audit that it has over HTTP. The embedding program vouches for who that is.
   */
  as(principal: Principal): Caller<Surfaces>
  /**
   * What operators do, without any access rule, over all tenants or inside of one. Said aloud on purpose.
   * @param of `onBehalfOf` is the person that mails and audit records name, in place of Copydesk itself
   */
  asSystem(of?: { tenantId: string; onBehalfOf?: Principal }): SystemApi
  /**
   * A path, good for a minute, at which the server that runs with these keys tells how a request arrives: from which address, and
   * with which `X-Forwarded-For`.
   */
  arrivalPath(): Promise<string>
  /** What is wrong with this installation and how to fix it. */
  doctor(): Promise<Finding[]>
  readonly version: string
}

const loadAllSurfaces = async () => (await import('./surfaces/surfaces.ts')).surfaces

/**
 * Puts an instance together; nothing runs and nothing is migrated until asked to.
 * @throws TypeError that names each option at fault, before anything is made; DatabaseError when the database cannot be opened
 */
export async function createCopydesk(options: CopydeskOptions): Promise<Copydesk> {
  checkOptions(options)
  const assembled = await assemble(options, { joins: 'later' })
  const { db, clock, newId, log, services } = assembled
  const { baseUrl } = services.settings
  const surfaces =
    options.doors === 'health'
      ? { surfaces: [root] }
      : {
          surfaces: [docs(loadAllSurfaces, { baseUrl, script: options.referencePage })],
          later: laterSurfaces.map((one) => ({ ...one, load: afterJoins<AnySurface>(assembled, one.load) })),
        }
  const gateway = createGateway({
    ...surfaces,
    ports: createPorts(assembled),
    options: {
      clock,
      newId,
      log,
      ...(options.trustProxy && { trustProxy: trustedProxies(options.trustProxy) }),
      ...(options.corsOrigins && { cors: { origins: options.corsOrigins } }),
      hsts: options.baseUrl.startsWith('https://'),
      ...(options.onUndeclaredError && { onUndeclaredError: options.onUndeclaredError }),
    },
  })
  assembled.streams.count = () => gateway.streams
  const work = workLater(assembled)
  let started = false
  let stopping: Promise<void> | undefined
  const stop = async () => {
    assembled.beginStop()
    await gateway.drain()
    await Promise.all(services.openAnswers)
    await work.stop()
    if (started) {
      services.revocations.stop()
      await services.models.stop()
      await services.deltas.stop()
    }
    await services.events.stop()
    await services.push.close()
    await services.mail.close()
    await services.http.close()
    await services.blobs.close()
    await assembled.close()
  }
  return {
    version,
    fetch: gateway.fetch,
    node: gateway.node,
    clientError: gateway.clientError,
    surface: gateway.surface,
    attach: gateway.attach,
    migrations: {
      status: () => migrationStatus(db),
      up: (to) => migrateUp(db, to),
      down: (to) => migrateDown(db, to),
      async plan() {
        const { pending } = await migrationStatus(db)
        return migrations
          .filter(({ name }) => pending.includes(name))
          .map(({ name, up }) => ({ name, sql: up[db.dialect] }))
      },
    },
    async setUp() {
      await requireCurrentSchema(db)
      await proveKey(db, services.encryptor)
      await assembled.join()
      const { seed } = await import('./composition/seeds.ts')
      await seed(assembled.system())
    },
    async start(begin) {
      await requireCurrentSchema(db)
      await proveKey(db, services.encryptor)
      services.commands.processes.reap()
      await assembled.redis?.start()
      await services.events.start()
      await services.revocations.start()
      await services.models.start()
      await services.deltas.start()
      started = true
      if (begin?.work !== 'later') await work.begin()
    },
    work: work.begin,
    async loadRest() {
      await gateway.load()
      await db.orm()
    },
    stop: () => (stopping ??= stop()),
    keys: {
      replace: assembled.useKeys,
      reencrypt: () => reencrypt(assembled.system()),
      inUse: () => keysInUse(assembled.system()),
    },
    storage: createStorageApi(assembled),
    routes: gateway.endpoints,
    openapi: () => openApiDocument(baseUrl),
    as: gateway.as as Copydesk['as'],
    asSystem: (of) => {
      const system = assembled.system()
      const ctx = of ? { ...system, actor: of.onBehalfOf ?? system.actor, scope: [of.tenantId] } : system
      const load = async () => (await import('./composition/system.ts')).bindSystem(ctx)
      return calledLater(afterJoins(assembled, load))
    },
    arrivalPath: async () => `/health/arrival/${await services.tokens.sign('arrival', { sub: newId() })}`,
    doctor: afterJoins(assembled, async () => (await import('./composition/doctor.ts')).examine(assembled)),
  }
}
