import { z } from 'zod'
import { Channels } from './channels.ts'
import { Commands } from './commands.ts'
import { Embeddings, embeddingFaults } from './embeddings.ts'
import { Images } from './images.ts'
import { Invoicing } from './invoicing.ts'
import { Mail } from './mail.ts'
import { text, webUrl, whole } from './parts.ts'
import { Payments } from './payments.ts'
import { Push } from './push.ts'
import { lacksAddress, Rerank } from './rerank.ts'
import { Sms } from './sms.ts'
import { Storage } from './storage.ts'

/** The roles of a server. */
export const roles = ['all', 'web', 'worker'] as const
export type Role = (typeof roles)[number]

const words = () => z.array(text())
const keyId = () => z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'an id has 1 to 64 letters, digits, "-" or "_"')
const origin = () =>
  z
    .string()
    .regex(
      /^[a-z][a-z0-9+.-]*:\/\/[^\sA-Z/?#@*]+$/,
      'must be an origin as browsers send it: https://app.example.com',
    )

/** When a key of the secrets file was created. */
const createdAt = () =>
  z.iso
    .datetime()
    .refine((given) => /^(?:19[7-9]|2)/.test(given), 'must lie between 1970 and 2999')
    .optional()

const encryptionKeys = () =>
  z.array(
    z.strictObject({
      id: keyId(),
      createdAt: createdAt(),
      key: z
        .string()
        .refine(is32Bytes, 'must be 32 bytes in base64, such as `openssl rand -base64 32` prints'),
    }),
  )
const signingKeys = () =>
  z.array(
    z.strictObject({
      id: keyId(),
      createdAt: createdAt(),
      secret: z.string().min(32, 'must have 32 characters or more, such as `openssl rand -base64 48` prints'),
    }),
  )

const usdPerMillion = () =>
  z
    .number()
    .min(0, 'must not be negative')
    .max(1_000_000)
    .refine((usd) => Math.round(usd * 1e6) / 1e6 === usd, 'must have at most six decimals')
const upToMillion = () => whole().min(0, 'must not be negative').max(1_000_000)
const mebibytes = () => whole().min(1, 'must be 1 or more').max(1_000_000_000)
const Hosted = () =>
  z.strictObject({ apiKey: text(), baseUrl: webUrl().optional(), models: words().optional() })

/** The schema of each setting at the top of the configuration. All of them may be left out. */
const fields = {
  $schema: () => z.string(),
  dataDir: text,
  environment: () => z.enum(['production', 'development']),
  database: () =>
    z.strictObject({
      url: z
        .string()
        .regex(/^(sqlite:|postgres(ql)?:\/\/)./, 'must start with sqlite: or postgres://')
        .optional(),
      listenUrl: z
        .string()
        .regex(/^postgres(ql)?:\/\/./, 'must start with postgres://')
        .optional(),
      preparedStatements: z.boolean().optional(),
    }),
  storage: Storage,
  redis: () =>
    z.strictObject({
      url: z.string().regex(/^rediss?:\/\/./, 'must start with redis:// or rediss://'),
      prefix: z
        .string()
        .regex(/^[\w:.-]{1,64}$/, 'has 1 to 64 letters, digits, ":", ".", "-" or "_"')
        .optional(),
    }),
  host: text,
  role: () => z.enum(roles),
  port: () => whole().min(0).max(65_535, 'must be 65535 or less'),
  baseUrl: webUrl,
  trustProxy: () =>
    z.strictObject(
      { addresses: words().optional(), forwardedFor: z.enum(['set', 'append']).optional() },
      'must be a list of addresses, or an object with addresses and forwardedFor',
    ),
  corsOrigins: () => z.array(origin()),
  allowHosts: words,
  mail: Mail,
  push: Push,
  sms: Sms,
  appScheme: () => z.string().regex(/^[a-z][a-z0-9+.-]{1,39}$/, 'must be a URL scheme such as copydesk'),
  commands: Commands,
  worker: () => z.strictObject({ concurrency: whole().min(1).max(64).optional() }),
  log: () =>
    z.strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).optional(),
      format: z.enum(['pretty', 'json']).optional(),
    }),
  encryptionKeys: () => encryptionKeys().min(1, 'must hold one key or more'),
  signingKeys: () => signingKeys().min(1, 'must hold one key or more'),
  providers: () =>
    z.strictObject({
      hosted_a: Hosted().optional(),
      hosted_b: Hosted().optional(),
      local: z.strictObject({ baseUrl: webUrl(), models: words().min(1) }).optional(),
      custom: z
        .strictObject({ baseUrl: webUrl(), apiKey: text().optional(), models: words().min(1) })
        .optional(),
    }),
  channels: Channels,
  models: () =>
    z.strictObject({
      /** Used in this order when an agent's model fails. */
      fallback: words().optional(),
      /** US dollars per million tokens. */
      prices: z
        .array(z.strictObject({ model: text(), input: usdPerMillion(), output: usdPerMillion() }))
        .optional(),
    }),
  invoicing: Invoicing,
  quotas: () => z.strictObject({ tenantMb: mebibytes().optional(), installationMb: mebibytes().optional() }),
  registration: () => z.enum(['open', 'closed']),
  freeTenants: () =>
    z.strictObject({
      perDay: upToMillion().optional(),
      /** US dollars. */
      monthlyUsd: upToMillion().optional(),
    }),
  embeddings: Embeddings,
  rerank: Rerank,
  images: Images,
  payments: Payments,
  defaultModel: text,
}

/** The configuration as a file or the environment states it. All fields are optional. */
export type ConfigInput = {
  [Name in keyof typeof fields]?: z.output<ReturnType<(typeof fields)[Name]>> | undefined
}

/** The schema of a configuration in which these settings are given; any other is unknown to it. */
export function configInput(given: readonly string[]): z.ZodType<ConfigInput> {
  const known = given.filter((name): name is keyof typeof fields => Object.hasOwn(fields, name))
  const shape: Partial<Record<keyof ConfigInput, z.ZodType>> = {}
  for (const name of known) shape[name] = fields[name]()
  const schema = z.strictObject(shape) as z.ZodType<ConfigInput>
  return schema.superRefine(({ embeddings, rerank, providers = {} }, { addIssue }) => {
    const faults = embeddings ? embeddingFaults(embeddings, providers) : []
    for (const { setting, message } of faults)
      addIssue({ code: 'custom', path: ['embeddings', setting], message })
    if (rerank && lacksAddress(rerank, providers))
      addIssue({
        code: 'custom',
        path: ['rerank', 'baseUrl'],
        message: `is missing, and so is providers.${rerank.provider}`,
      })
  })
}

/** The keys of an installation, as its secrets file holds them. */
export const Secrets = () =>
  z.strictObject({ encryptionKeys: encryptionKeys().min(1), signingKeys: signingKeys().min(1) })
export type Secrets = z.output<ReturnType<typeof Secrets>>

/** The configuration that a command uses: the given values, and defaults for the rest. */
export interface Config {
  /** An absolute path. */
  dataDir: string
  environment: 'production' | 'development'
  database: { url: string; listenUrl?: string; preparedStatements?: boolean }
  /** Where files are kept. */
  storage: Storage
  /** The Redis instance through which several servers share counters. */
  redis?: { url: string; prefix: string }
  /** What a server does: serve requests, execute runs and jobs, or both. */
  role: Role
  host: string
  port: number
  /** Without a trailing slash. */
  baseUrl: string
  /** The proxies whose `X-Forwarded-For` is trusted, and whether they set it or append to it. */
  trustProxy: { addresses: string[]; forwardedFor: 'set' | 'append' }
  corsOrigins: string[]
  allowHosts: string[]
  mail: Mail
  /** The push services for notifications. */
  push: Push
  /** The service of text messages to customers. */
  sms?: Sms
  /** The URL scheme of links into the mobile app. */
  appScheme: string
  /** Command-line agents by name. */
  commands: Commands
  worker: { concurrency: number }
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format?: 'pretty' | 'json' }
  /** Empty when neither the configuration nor the data folder contains any. */
  encryptionKeys: Secrets['encryptionKeys']
  signingKeys: Secrets['signingKeys']
  /** The kinds of keys that come from the secrets file: commands can rotate them. */
  keysFromFile: ReadonlyArray<keyof Secrets>
  providers: NonNullable<ConfigInput['providers']>
  /** OAuth clients of channels, and the redirect targets after a connection. */
  channels: Channels
  models: NonNullable<ConfigInput['models']>
  /** What search compares texts by beside their words. */
  embeddings?: Embeddings
  /** What ranks the best results of a search once more. */
  rerank?: Rerank
  /** Where images are searched beyond those of a tenant. */
  images?: Images
  /** Who takes the payments; without it a super-admin marks tenants as paid. */
  payments?: Payments
  /** Who writes the invoices, and their taxes. */
  invoicing: Invoicing
  /** Quotas of uploaded files, MiB. */
  quotas: { tenantMb: number; installationMb: number }
  /** Whether visitors may register tenants. */
  registration: 'open' | 'closed'
  /** Limits for free registrations: tenants a day, and US dollars a month for all of them together. */
  freeTenants: { perDay: number; monthlyUsd: number }
  defaultModel?: string
}

function is32Bytes(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 32 && bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
}
