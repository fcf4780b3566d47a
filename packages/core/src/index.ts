import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Attachment } from './gateway/attach.ts'
import { trustedProxies } from './gateway/client-ip.ts'
import { createGateway, type Gateway } from './gateway/mount.ts'
import type { EndpointInfo } from './gateway/info.ts'
import { toOpenApi } from './gateway/openapi.ts'
import { bindApi, type Api } from './api.ts'
import { createWorker, type Worker } from './worker.ts'
import { type Assembled, assemble } from './assemble.ts'
import { checkOptions } from './check-options.ts'
import type { CopydeskOptions, Keys } from './options.ts'
import { migrations } from './domain/migrations/migrations.ts'
import { seedMasters } from './domain/agents/masters.ts'
import { seedTemplates } from './domain/campaigns/templates.ts'
import { command } from './domain/command.ts'
import { seedPlans } from './domain/tenants/plan-seeds.ts'
import { type Finding, examine } from './doctor.ts'
import { proveKey } from './domain/settings/key-proof.ts'
import { keysInUse, reseal } from './domain/settings/keys.ts'
import {
  type MigrationStatus,
  migrateDown,
  migrateUp,
  migrationStatus,
  requireCurrentSchema,
} from './platform/database/migrate.ts'
import { createPorts } from './ports.ts'
import { surfaces as builtIn } from './surfaces/surfaces.ts'
import { docs } from './surfaces/root/docs.ts'
import { root } from './surfaces/root/index.ts'
import { version } from './version.ts'

export type { CopydeskOptions, Keys, ProviderConfig } from './options.ts'
export type { ChannelOptions } from './domain/channels/clients.ts'
export type { Api } from './api.ts'
export type { CommandOptions, LineRule } from './domain/agents/commands/options.ts'
export type { Checkout, CheckoutRequest, PaymentProvider } from './domain/tenants/payments.ts'
export type { Finding } from './doctor.ts'
export type { Attachment } from './gateway/attach.ts'
export type { EndpointInfo } from './gateway/info.ts'
export type { Clock } from './platform/clock.ts'
export type { MailOptions } from './platform/mail/sender.ts'
export type { PushOptions } from './platform/push/senders.ts'
export type { Logger } from './platform/log.ts'
export { DatabaseError } from './platform/database/database.ts'
export { DomainError } from './domain/errors.ts'
export { createLogger } from './platform/logger.ts'
export { version } from './version.ts'
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
  attach(attachment: Attachment): Pick<Gateway, 'fetch' | 'node'>
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
  /** Starts events and, unless `worker` is false, the work on jobs and runs. @throws DatabaseError on a schema that is not the current one */
  start(): Promise<void>
  /** Ends the streams, lets requests, jobs and runs finish, and closes the database. */
  stop(): Promise<void>
  keys: {
    /** Works with other keys from now on, without a restart. @throws TypeError on keys that cannot be used */
    replace(keys: Keys): void
    /** Encrypts anew what is sealed with an older key. @returns how many texts */
    reseal(): Promise<number>
    /** How many sealed texts each encryption key still has to open, by the id of the key. */
    inUse(): Promise<Record<string, number>>
  }
  routes(): EndpointInfo[]
  openapi(): object
  /** The services under the access rules of one person. */
  as(person: { tenantId?: string; actor: ActorInput }): Api
  /** The services without any access rule, over all tenants or inside of one. Said aloud on purpose. */
  asSystem(of?: { tenantId: string }): Api
  /**
   * A path, good for a minute, at which the server that runs with these keys tells how a request arrives: from which address, and
   * with which `X-Forwarded-For`.
   */
  arrivalPath(): string
  /** What is wrong with this installation and how to mend it. */
  doctor(): Promise<Finding[]>
  readonly version: string
}

export type ActorInput = Parameters<Assembled['contextFor']>[0]['actor']

/**
 * Puts an instance together; nothing runs and nothing is migrated until asked to.
 * @throws TypeError that names each option at fault, before anything is made; DatabaseError when the database cannot be opened
 */
export async function createCopydesk(options: CopydeskOptions): Promise<Copydesk> {
  checkOptions(options)
  const assembled = await assemble(options)
  const { db, clock, newId, log, services } = assembled
  const { baseUrl } = services.settings
  const all =
    options.doors === 'health'
      ? [root]
      : [...builtIn.slice(0, -1), docs(builtIn, { baseUrl, script: options.referencePage })]
  const gateway = createGateway({
    surfaces: all,
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
  let worker: Worker | undefined
  let started = false
  let stopping: Promise<void> | undefined
  const stop = async () => {
    assembled.beginStop()
    await gateway.drain()
    await worker?.stop()
    if (started) {
      services.revocations.stop()
      await services.models.stop()
      await services.deltas.stop()
      await services.events.stop()
    }
    await services.push.close()
    await services.http.close()
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
      await proveKey(db, services.box)
      await command(assembled.system(), async (cmd) => {
        await seedMasters(cmd)
        await seedTemplates(cmd)
        await seedPlans(cmd)
      })
    },
    async start() {
      await requireCurrentSchema(db)
      await proveKey(db, services.box)
      services.commands.processes.reap()
      await assembled.redis?.start()
      await services.events.start()
      await services.revocations.start()
      await services.models.start()
      await services.deltas.start()
      started = true
      if (options.worker === false) return
      worker = createWorker(assembled, options.worker ?? { concurrency: 4 })
      await worker.start()
    },
    stop: () => (stopping ??= stop()),
    keys: {
      replace: assembled.useKeys,
      reseal: () => reseal(assembled.system()),
      inUse: () => keysInUse(assembled.system()),
    },
    routes: gateway.endpoints,
    openapi: () => openApiDocument(baseUrl),
    as: ({ tenantId, actor }) =>
      bindApi(assembled.contextFor({ actor, ...(tenantId && { tenantId }) }), 'checked'),
    asSystem: (of) => {
      const system = assembled.system()
      return bindApi(of ? { ...system, scope: [of.tenantId] } : system, 'system')
    },
    arrivalPath: () => `/health/arrival/${services.tokens.sign('arrival', { sub: newId() })}`,
    doctor: () => examine(assembled),
  }
}

/**
 * The OpenAPI 3.1 document of everything that is served. Needs no database.
 * @param baseUrl where requests go
 */
export function openApiDocument(baseUrl: string): object {
  const servers = [{ url: baseUrl }]
  return toOpenApi([...builtIn.slice(0, -1), docs(builtIn)], { title: 'Copydesk', version, servers })
}

/** Every endpoint with its surface, access and codes. Needs no database. */
export { describeSurfaces } from './surfaces/describe.ts'
