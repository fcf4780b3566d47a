import type { InvoicingOptions } from '../domain/accounts/billing/invoicing.ts'
import type { PaymentProvider } from '../domain/accounts/billing/payments.ts'
import type { HostedPayments } from '../domain/accounts/billing/providers/access.ts'
import type { ChannelOptions } from '../domain/accounts/channels/clients.ts'
import type { Quotas } from '../domain/accounts/tenants/quota-queries.ts'
import type { CommandOptions } from '../domain/work/runs/commands/options.ts'
import type { TrustedProxies } from '../gateway/client-ip.ts'
import type { StorageOptions } from '../platform/blobs/place.ts'
import type { Clock } from '../platform/clock.ts'
import type { PasswordCost } from '../platform/crypto/password.ts'
import type { EmbeddingsOptions } from '../platform/embeddings/embedder.ts'
import type { PhotoSearchOptions } from '../platform/images/photo-search.ts'
import type { Logger } from '../platform/log.ts'
import type { MailOptions } from '../platform/mail/sender.ts'
import type { NamedPrice } from '../platform/models/prices.ts'
import type { PushOptions } from '../platform/push/senders.ts'
import type { RedisSettings } from '../platform/redis.ts'
import type { RerankOptions } from '../platform/reranking/reranker.ts'
import type { SmsServiceOptions } from '../platform/sms/rest.ts'
import type { SmsSender } from '../platform/sms/sms.ts'

/** A source of models beside the built-in writer. */
export interface ProviderConfig {
  id: string
  type: 'hosted_a' | 'hosted_b' | 'local' | 'custom'
  apiKey?: string
  baseUrl?: string
  models: string[]
}

/** The secrets of an installation. */
export interface Keys {
  /** AES-256 keys, base64 of 32 bytes; the first seals, all of them open. */
  encryptionKeys: Array<{ id: string; key: string }>
  /** Secrets of 32 characters or more; the first signs, all of them verify. */
  signingKeys: Array<{ id: string; secret: string }>
}

export interface CopydeskOptions extends Keys {
  /** `sqlite:<path>`, a path, or `postgres://…`; with what poolers in transaction mode need where there is one. */
  database: string | { url: string; listenUrl?: string; preparedStatements?: boolean }
  /** Folder for files; created when missing. */
  dataDir: string
  /** Where files are kept: a folder (default `blobs` in the data folder), or a bucket with the interface of Amazon S3 and its keys. */
  storage?: StorageOptions
  /**
   * Gives the keys as they are now. Asked, at most once a second, when a token or a sealed text names a key that is not
   * there: another process may have rotated the keys.
   */
  reloadKeys?(): Keys | undefined
  /** Where this instance is reached from outside. */
  baseUrl: string
  environment?: 'production' | 'development'
  log?: Logger
  clock?: Clock
  /**
   * Whose `X-Forwarded-For` is believed: addresses and CIDR ranges of proxies that set the header, or with `forwardedFor: 'append'`
   * of proxies that add to it. Default: loopback, which sets it.
   */
  trustProxy?: string[] | TrustedProxies
  corsOrigins?: string[]
  /** Hosts in private networks that may be called; everything else there is refused. */
  allowHosts?: string[]
  providers?: ProviderConfig[]
  /** Command-line agents by name. Anyone who may name one runs it on this machine: tenants choose among these and no others. */
  commands?: Record<string, CommandOptions>
  mail?: MailOptions
  /** How notifications reach devices; without it they wait in the inbox. */
  push?: PushOptions
  /** How text messages reach customers: a service, or a way of the program's own; without one the channel `sms` is refused. */
  sms?: SmsServiceOptions | SmsSender
  /** The URL scheme of the mobile app, which links in it begin with; default `copydesk`. */
  appScheme?: string
  /** OAuth clients of channels by their type, and the URLs that people may be sent back to once they have connected one. */
  channels?: ChannelOptions
  /** Takes the payments of tenants that register; without one a super-admin marks a tenant paid. */
  payments?: PaymentProvider | HostedPayments
  /** Who writes the invoices, and the taxes on them; without an issuer no tax is charged. */
  invoicing?: InvoicingOptions
  /**
   * How much may be kept of what people upload, bytes: documents, and skills in all their versions. Default: 5 GiB of a tenant and
   * 50 GiB in all.
   */
  quotas?: Partial<Quotas>
  /** Whether visitors may register tenants of their own, with agents that work at once; default `closed`. */
  registration?: 'open' | 'closed'
  /** What visitors may take without paying, where registration is open. */
  freeTenants?: {
    /** Tenants that register in a day (UTC) on the free plan or on trial, over the whole installation; default 10. */
    perDay?: number
    /** US dollars that the agents of all of them together may spend in a month (UTC); default 50. */
    monthlyUsd?: number
  }
  /** Default: the first model of the first provider, else the built-in writer. */
  defaultModel?: string
  models?: {
    /** Asked in turn when an agent's own model answers with a fault, an exhausted quota or a refused key. */
    fallback?: string[]
    /** Go before the built-in list of prices; those that operators set by command go before these. */
    prices?: NamedPrice[]
  }
  /** What search compares texts by beside their words; without it search goes by keywords only. */
  embeddings?: EmbeddingsOptions
  /** Where images are searched beyond those of a tenant; without it nowhere. */
  images?: PhotoSearchOptions
  /** What ranks the best results of a search with `rerank` once more; without it that changes nothing. */
  rerank?: RerankOptions
  /** File of the API reference's script, served at `/docs`. */
  referencePage?: string
  /** What answers requests; `health` is for a process that only works. Default `all`. */
  doors?: 'all' | 'health'
  /** Runs at the same time; false serves only. */
  worker?: { concurrency: number; leaseMs?: number } | false
  /** SQLite: `off` is for tests that throw the file away. */
  synchronous?: 'full' | 'off'
  /** Work of one password hash: `low` is for tests that throw the accounts away. */
  passwordCost?: PasswordCost
  /** Milliseconds between two pieces of text of the built-in writer. */
  writerPaceMs?: number
  /** Where several servers count requests and open streams together; without it each counts for itself. */
  redis?: RedisSettings & {
    /** How long what a killed server had taken stays taken, milliseconds; default 15,000. */
    leaseMs?: number
  }
  onUndeclaredError?(fault: { endpoint: string; code: string; error: unknown }): void
}
