import type { Blobs } from '../platform/blobs.ts'
import type { Cache } from '../platform/cache.ts'
import type { Counters } from '../platform/counters/counters.ts'
import type { Box } from '../platform/crypto/box.ts'
import type { Broadcast } from '../platform/events/broadcast.ts'
import type { EventLog } from '../platform/events/events.ts'
import type { HttpClient } from '../platform/http/client.ts'
import type { JobQueue } from '../platform/jobs/queue.ts'
import type { MailSender } from '../platform/mail/mail.ts'
import type { Push } from '../platform/push/push.ts'
import type { Readiness } from './health.ts'
import type { Channels } from './channels/clients.ts'
import type { Commands } from './agents/commands/commands.ts'
import type { OutsideMailLimits } from './mail/outside.ts'
import type { ModelRegistry } from './models/registry.ts'
import type { Deltas } from './runs/deltas.ts'
import type { Sequencer } from './runs/sequencer.ts'
import type { Revocations } from './identity/revocations.ts'
import type { Passwords } from '../platform/crypto/password.ts'
import type { Tokens } from './identity/tokens.ts'
import type { Threads } from '../platform/threads/threads.ts'
import type { PdfMaker } from '../platform/pdf/pdf.ts'
import type { TextTasks } from './text-tasks.ts'
import type { RecentComparisons } from './versions/comparisons.ts'
import type { FreeTenantLimits } from './tenants/free-tenants.ts'
import type { PaymentProvider } from './tenants/payments.ts'
import type { Quotas } from './tenants/quota-queries.ts'

/** What one instance of Copydesk is made of; built once by `createCopydesk` and handed to every act through its context. */
export interface Services {
  jobs: JobQueue
  events: EventLog
  /** Live messages inside this process that are not kept, such as text as it is written. */
  broadcast: Broadcast
  deltas: Deltas
  /** Where long texts are worked on, away from the event loop; see `inThread`. */
  threads: Threads<TextTasks>
  comparisons: RecentComparisons
  pdf: PdfMaker
  sequencer: Sequencer
  box: Box
  blobs: Blobs
  cache: Cache
  /** Where tries are counted, together with the other servers where they share a Redis. */
  counters: Counters
  http: HttpClient
  mail: MailSender
  push: Push
  models: ModelRegistry
  /** The programs that agents may be. */
  commands: Commands
  tokens: Tokens
  passwords: Passwords
  revocations: Revocations
  channels: Channels
  /** Null where people see to the payments. */
  payments: PaymentProvider | null
  settings: Settings
  /** Asks the stores for all who want to know at about the same time. */
  readiness(check: () => Promise<Readiness>): Promise<Readiness>
  /** Streams that are open at this server. */
  openStreams(): number
  /** Aborted when this instance is to stop: whoever makes a request wait for long ends it then. */
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
  /** How much may be kept of what people upload. */
  quotas: Quotas
  /** Whether visitors may register tenants of their own. */
  registration: 'open' | 'closed'
  mailLimits: OutsideMailLimits
  freeTenants: FreeTenantLimits
}
