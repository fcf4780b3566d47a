import type { Blobs } from '../platform/blobs/blobs.ts'
import type { Cache } from '../platform/cache.ts'
import type { Counters } from '../platform/counters/counters.ts'
import type { Encryptor } from '../platform/crypto/encryptor.ts'
import type { Passwords } from '../platform/crypto/password.ts'
import type { Embedder } from '../platform/embeddings/port.ts'
import type { Broadcast, EventLog } from '../platform/events/events.ts'
import type { HttpClient } from '../platform/http/client.ts'
import type { JobQueue } from '../platform/jobs/queue.ts'
import type { MailSender } from '../platform/mail/mail.ts'
import type { DocumentParser } from '../platform/parsing/parser.ts'
import type { PdfMaker } from '../platform/pdf/pdf.ts'
import type { Push } from '../platform/push/push.ts'
import type { Reranker } from '../platform/reranking/reranker.ts'
import type { SmsSender } from '../platform/sms/sms.ts'
import type { Measured, MeasuredStores } from './health.ts'
import type { TextThreads } from './in-thread.ts'
import type { RecentComparisons } from './versions/comparisons.ts'

/**
 * What one instance of Copydesk is made of; built once by `createCopydesk` and handed to every act through its context. Each context of the
 * domain adds its own services where it defines them (`declare module`), so that the kernel knows none of them.
 */
export interface Services {
  jobs: JobQueue
  events: EventLog
  /** Live messages inside this process that are not kept, such as text as it is written. */
  broadcast: Broadcast
  /** Where long texts are worked on, away from the event loop; see `inThread`. */
  threads: TextThreads
  comparisons: RecentComparisons
  pdf: PdfMaker
  /** Reads documents that people upload. */
  parser: DocumentParser
  encryptor: Encryptor
  blobs: Blobs
  cache: Cache
  /** Where tries are counted, together with the other servers where they share a Redis. */
  counters: Counters
  http: HttpClient
  mail: MailSender
  push: Push
  /** Undefined where no provider of text messages is configured. */
  sms: SmsSender | undefined
  passwords: Passwords
  /** Undefined where no embeddings are configured: search then goes by keywords only. */
  embedder: Embedder | undefined
  /** Undefined where none is configured: results stay in the order of search. */
  reranker: Reranker | undefined
  settings: Settings
  /** Each asks for all who want to know at about the same time. */
  standing: {
    stores(measure: () => Promise<MeasuredStores>): Promise<MeasuredStores>
    /** Undefined where there are no models on servers of one's own. */
    localModels(measure: () => Promise<Measured | undefined>): Promise<Measured | undefined>
  }
  /** Streams that are open at this server. */
  openStreams(): number
  /** Aborted when this instance is to stop: anyone who makes a request wait for long ends it then. */
  stopping: AbortSignal
  /** Tells the dispatcher of this process that a run may be waiting. */
  wakeDispatcher(): void
}

export interface Settings {
  /** Where this instance is reached from outside, without a slash at the end; agents call back to it. */
  baseUrl: string
  /** What links in mails begin with, without a slash at the end. */
  links: string
  /** What links into the mobile app begin with, as the `copydesk` of `copydesk://home`. */
  appScheme: string
  /** API keys of a production instance start with `cdk_live_`, of others with `cdk_test_`. */
  live: boolean
  /** Names this process in leases. */
  owner: string
  /** Whether visitors may register tenants of their own. */
  registration: 'open' | 'closed'
}
