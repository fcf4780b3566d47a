import { join } from 'node:path'
import { toInvoicing } from '../domain/accounts/billing/invoicing.ts'
import { toPayments } from '../domain/accounts/billing/providers/hosted.ts'
import { tooManyHashes } from '../domain/accounts/identity/login-limit.ts'
import { createRevocations } from '../domain/accounts/identity/revocations.ts'
import { createTokens } from '../domain/accounts/identity/tokens.ts'
import { defaultFreeTenants } from '../domain/accounts/tenants/free-tenants.ts'
import { defaultQuotas } from '../domain/accounts/tenants/quota-queries.ts'
import { createModelRegistry, type ProviderAccess } from '../domain/agents/models/registry.ts'
import { createKnowledgeCache } from '../domain/knowledge/search/knowledge-cache.ts'
import { usualMailLimits } from '../domain/people/mail/send-email.ts'
import { createCommands } from '../domain/work/runs/commands/commands.ts'
import { createDeltas } from '../domain/work/runs/text/deltas.ts'
import { createSequencer } from '../domain/work/runs/text/sequencer.ts'
import { standingFreshness } from '../kernel/health.ts'
import type { TextThreads } from '../kernel/in-thread.ts'
import { toMicros } from '../kernel/money.ts'
import type { Services } from '../kernel/services.ts'
import { createDirectoryBlobs } from '../platform/blobs/directory.ts'
import { openBlobs } from '../platform/blobs/open.ts'
import { createMemoryCache } from '../platform/cache.ts'
import { createCoalesced } from '../platform/coalesced.ts'
import { createEncryptor, type EncryptionKeys } from '../platform/crypto/encryptor.ts'
import { createPasswords } from '../platform/crypto/password.ts'
import { createEmbedder } from '../platform/embeddings/embedder.ts'
import { createBroadcast } from '../platform/events/events.ts'
import { createEventLog } from '../platform/events/log.ts'
import { createHttpClient, type HttpClient } from '../platform/http/client.ts'
import { createPhotoSearch } from '../platform/images/photo-search.ts'
import { createResizer } from '../platform/images/resizer.ts'
import { createJobQueue } from '../platform/jobs/queue.ts'
import { createMailSender } from '../platform/mail/sender.ts'
import { createTopic } from '../platform/mail/topic.ts'
import { toPriceTable } from '../platform/models/prices.ts'
import { createParser } from '../platform/parsing/parser.ts'
import { createPdfMaker } from '../platform/pdf/pdf.ts'
import { createFolders } from '../platform/processes/folders.ts'
import { createProcesses } from '../platform/processes/processes.ts'
import { createPush } from '../platform/push/senders.ts'
import { createReranker } from '../platform/reranking/reranker.ts'
import { createSharedCache } from '../platform/shared-cache.ts'
import { createSmsService } from '../platform/sms/rest.ts'
import type { SmsSender } from '../platform/sms/sms.ts'
import { createThreads, threadFile } from '../platform/threads/pool.ts'
import type { Assembled } from './assemble.ts'
import type { Joins } from './joins.ts'
import type { CopydeskOptions, Keys } from './options.ts'
import { buildProvider, configuredProviders } from './providers.ts'

/** What the services of one instance are made from. */
type ServiceParts = Pick<
  Assembled,
  'options' | 'db' | 'clock' | 'newId' | 'log' | 'counters' | 'redis' | 'bree' | 'owner' | 'system'
> &
  Pick<Services, 'channels' | 'openStreams' | 'stopping' | 'wakeDispatcher'> & {
    /** Reads the keys again; called when one is asked for that is not known. */
    reloadKeys: () => void
  }

/** Everything that the functions of the domain are given, by name, but for what contexts do for each other. */
export async function createServices(parts: ServiceParts): Promise<Omit<Services, keyof Joins>> {
  const { options, db, clock, newId, log, counters, redis, bree, owner, system, reloadKeys } = parts
  const { channels, openStreams, stopping, wakeDispatcher } = parts
  const { passwordCost, allowHosts, mail = {} } = options
  const baseUrl = options.baseUrl.replace(/\/$/, '')
  const broadcast = createBroadcast()
  const http = createHttpClient({ log, ...(allowHosts && { allowHosts }) })
  const deltas = createDeltas({ db, broadcast, clock, log, node: owner })
  const build = (access: ProviderAccess) => buildProvider(access, http.guardedFetch, clock)
  const threads = createTextThreads()
  const configured = await configuredProviders(options, clock, build, threads)
  const events = createEventLog({ db, clock, log })
  const encryptor = createEncryptor({ ...boxKeys(options), onUnknown: reloadKeys })
  return {
    jobs: createJobQueue({
      db,
      clock,
      newId,
      log,
      load: async () => (await import('./jobs.ts')).jobWork(system),
    }),
    events,
    broadcast,
    deltas,
    threads,
    comparisons: new Map(),
    parser: createParser(bree, threadFile('document-thread', import.meta.url)),
    pdf: createPdfMaker(bree),
    sequencer: createSequencer({ deltas, clock }),
    encryptor,
    blobs: await openBlobs(options.storage ?? {}, { dataDir: options.dataDir, clock, log }),
    images: createResizer({ cache: createDirectoryBlobs(join(options.dataDir, 'resized')), log }),
    photos: createPhotoSearch(options.images, http),
    counters,
    cache: redis ? createSharedCache({ redis, clock }) : createMemoryCache({ clock }),
    http,
    mail: createMailSender({
      options: mail,
      baseUrl,
      folder: join(options.dataDir, 'mail'),
      http,
      clock,
      log,
    }),
    push: createPush({ options: options.push ?? {}, http, clock }),
    sms: smsOf(options.sms, http),
    models: createModelRegistry({
      configured,
      defaultModel: options.defaultModel ?? configured[0]?.models[0] ?? '',
      fallback: options.models?.fallback ?? [],
      prices: toPriceTable(options.models?.prices ?? []),
      build,
      db,
      encryptor,
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
    embedder: createEmbedder(options.embeddings, {
      fetch: http.guardedFetch,
      clock,
      dataDir: options.dataDir,
    }),
    reranker: createReranker(options.rerank, { fetch: http.guardedFetch }),
    knowledgeCache: createKnowledgeCache(),
    revocations: createRevocations({ db, events, clock }),
    channels,
    payments: toPayments(options.payments, { http, clock }),
    mailTopic: mail.cloud?.topic && createTopic(mail.cloud.topic, { http, clock }),
    settings: {
      baseUrl,
      links: (mail.links ?? baseUrl).replace(/\/+$/, ''),
      appScheme: options.appScheme ?? 'copydesk',
      live: options.environment === 'production',
      owner,
      quotas: { ...defaultQuotas, ...options.quotas },
      mailLimits: { ...usualMailLimits, ...mail.limits },
      mailWebhookSecrets: mail.webhookSecrets ?? [],
      registration: options.registration ?? 'closed',
      invoicing: toInvoicing(options.invoicing),
      freeTenants: {
        perDay: options.freeTenants?.perDay ?? defaultFreeTenants.perDay,
        monthlyMicros: toMicros(options.freeTenants?.monthlyUsd ?? defaultFreeTenants.monthlyUsd),
      },
    },
    standing: {
      stores: createCoalesced({ clock, ...standingFreshness }),
      localModels: createCoalesced({ clock, ...standingFreshness }),
    },
    openStreams,
    openAnswers: new Set(),
    stopping,
    wakeDispatcher,
  }
}

/** The keys for what is sealed, as the encryptor takes them. */
export function boxKeys({ encryptionKeys }: Keys): EncryptionKeys {
  return {
    keys: encryptionKeys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') })),
    currentId: encryptionKeys[0]?.id ?? '',
  }
}

/** A program may have a way of its own; else the service that the options name. */
function smsOf(sms: CopydeskOptions['sms'], http: HttpClient): SmsSender | undefined {
  if (!sms || 'send' in sms) return sms
  return createSmsService({ options: sms, http })
}

/** The threads of one instance in which long texts are worked on. */
function createTextThreads(): TextThreads {
  return createThreads({
    file: threadFile('text-thread', import.meta.url),
    threads: 2,
    // What one has read last may be long, and is held until its next task.
    keepMs: 2_000,
    memoryMb: 256,
    youngMb: 8,
    deadlineMs: 10_000,
    maxWaiting: 256,
  })
}
