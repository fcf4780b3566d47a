import { z } from 'zod'
import { Channels } from './channels.ts'
import { Commands } from './commands.ts'
import { Mail } from './mail.ts'
import { Push } from './push.ts'

/** What a server can do. */
export const roles = ['all', 'web', 'worker'] as const
export type Role = (typeof roles)[number]

const keyId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'an id has 1 to 64 letters, digits, "-" or "_"')
const url = z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
const words = z.array(z.string().min(1))
const origin = z
  .string()
  .regex(
    /^[a-z][a-z0-9+.-]*:\/\/[^\sA-Z/?#@*]+$/,
    'must be an origin as browsers send it: https://app.example.com',
  )

/** When a key of the secrets file was made. */
const createdAt = z.iso
  .datetime()
  .refine((text) => /^(?:19[7-9]|2)/.test(text), 'must lie between 1970 and 2999')
  .optional()

const EncryptionKey = z.strictObject({
  id: keyId,
  createdAt,
  key: z.string().refine(is32Bytes, 'must be 32 bytes in base64, such as `openssl rand -base64 32` prints'),
})
const SigningKey = z.strictObject({
  id: keyId,
  createdAt,
  secret: z.string().min(32, 'must have 32 characters or more, such as `openssl rand -base64 48` prints'),
})

const secret = z.string().min(1, 'is empty')
const usdPerMillion = z
  .number()
  .min(0, 'must not be negative')
  .max(1_000_000)
  .refine((usd) => Math.round(usd * 1e6) / 1e6 === usd, 'must have at most six decimals')
const mebibytes = z.int('must be a whole number').min(1, 'must be 1 or more').max(1_000_000_000)
const Hosted = z.strictObject({ apiKey: secret, baseUrl: url.optional(), models: words.optional() })

/** The configuration as a file or the environment states it. Everything may be left out. */
export const Given = z.strictObject({
  $schema: z.string().optional(),
  dataDir: z.string().min(1).optional(),
  environment: z.enum(['production', 'development']).optional(),
  database: z
    .strictObject({
      url: z
        .string()
        .regex(/^(sqlite:|postgres(ql)?:\/\/)./, 'must start with sqlite: or postgres://')
        .optional(),
    })
    .optional(),
  redis: z
    .strictObject({
      url: z.string().regex(/^rediss?:\/\/./, 'must start with redis:// or rediss://'),
      prefix: z
        .string()
        .regex(/^[\w:.-]{1,64}$/, 'has 1 to 64 letters, digits, ":", ".", "-" or "_"')
        .optional(),
    })
    .optional(),
  host: z.string().min(1).optional(),
  role: z.enum(roles).optional(),
  port: z.int('must be a whole number').min(0).max(65_535, 'must be 65535 or less').optional(),
  baseUrl: url.optional(),
  trustProxy: z
    .strictObject(
      { addresses: words.optional(), forwardedFor: z.enum(['set', 'append']).optional() },
      'must be a list of addresses, or an object with addresses and forwardedFor',
    )
    .optional(),
  corsOrigins: z.array(origin).optional(),
  allowHosts: words.optional(),
  mail: Mail.optional(),
  push: Push.optional(),
  appScheme: z
    .string()
    .regex(/^[a-z][a-z0-9+.-]{1,39}$/, 'must be a URL scheme such as copydesk')
    .optional(),
  commands: Commands.optional(),
  worker: z
    .strictObject({ concurrency: z.int('must be a whole number').min(1).max(64).optional() })
    .optional(),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).optional(),
      format: z.enum(['pretty', 'json']).optional(),
    })
    .optional(),
  encryptionKeys: z.array(EncryptionKey).min(1, 'must hold one key or more').optional(),
  signingKeys: z.array(SigningKey).min(1, 'must hold one key or more').optional(),
  providers: z
    .strictObject({
      hosted_a: Hosted.optional(),
      hosted_b: Hosted.optional(),
      local: z.strictObject({ baseUrl: url, models: words.min(1) }).optional(),
      custom: z.strictObject({ baseUrl: url, apiKey: secret.optional(), models: words.min(1) }).optional(),
    })
    .optional(),
  channels: Channels.optional(),
  models: z
    .strictObject({
      /** Asked in turn when an agent's own model fails. */
      fallback: words.optional(),
      /** US dollars per million tokens. */
      prices: z
        .array(z.strictObject({ model: z.string().min(1), input: usdPerMillion, output: usdPerMillion }))
        .optional(),
    })
    .optional(),
  quotas: z.strictObject({ tenantMb: mebibytes.optional(), installationMb: mebibytes.optional() }).optional(),
  registration: z.enum(['open', 'closed']).optional(),
  freeTenants: z
    .strictObject({
      perDay: z.int('must be a whole number').min(0, 'must not be negative').max(1_000_000).optional(),
      /** US dollars. */
      monthlyUsd: z.int('must be a whole number').min(0, 'must not be negative').max(1_000_000).optional(),
    })
    .optional(),
  defaultModel: z.string().min(1).optional(),
})
export type Given = z.output<typeof Given>

/** The keys of an installation, as its secrets file holds them. */
export const Secrets = z.strictObject({
  encryptionKeys: z.array(EncryptionKey).min(1),
  signingKeys: z.array(SigningKey).min(1),
})
export type Secrets = z.output<typeof Secrets>

/** The configuration that a command works with: what was given, and the defaults for the rest. */
export interface Config {
  /** Absolute. */
  dataDir: string
  environment: 'production' | 'development'
  database: { url: string }
  /** Where several servers count together. */
  redis?: { url: string; prefix: string }
  /** What a server does: answer requests, work on runs and jobs, or both. */
  role: Role
  host: string
  port: number
  /** Without a slash at the end. */
  baseUrl: string
  /** Whose `X-Forwarded-For` is believed, and whether these proxies set it or append to it. */
  trustProxy: { addresses: string[]; forwardedFor: 'set' | 'append' }
  corsOrigins: string[]
  allowHosts: string[]
  mail: Mail
  /** How notifications reach devices. */
  push: Push
  /** What links into the mobile app begin with. */
  appScheme: string
  /** Command-line agents by name. */
  commands: Commands
  worker: { concurrency: number }
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format?: 'pretty' | 'json' }
  /** Empty when neither the configuration nor the data folder holds any. */
  encryptionKeys: Secrets['encryptionKeys']
  signingKeys: Secrets['signingKeys']
  /** Those of the keys that the secrets file holds: they can be rotated by command. */
  keysFromFile: ReadonlyArray<keyof Secrets>
  providers: NonNullable<Given['providers']>
  /** OAuth clients of channels, and where people may be sent after they have connected one. */
  channels: Channels
  models: NonNullable<Given['models']>
  /** How much may be kept of what people upload, MiB. */
  quotas: { tenantMb: number; installationMb: number }
  /** Whether visitors may register tenants of their own. */
  registration: 'open' | 'closed'
  /** What visitors may take without paying: tenants a day, and US dollars a month for all of them together. */
  freeTenants: { perDay: number; monthlyUsd: number }
  defaultModel?: string
}

function is32Bytes(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 32 && bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
}
