import { z } from 'zod'
import { hostedPaymentProviders } from '../domain/accounts/billing/providers/access.ts'
import { channelTypes } from '../domain/accounts/channels/entities.ts'
import type { CommandOptions } from '../domain/work/runs/commands/options.ts'
import { createClientIp, trustedProxies } from '../gateway/client-ip.ts'
import { createCors } from '../gateway/cors.ts'
import { placeOf } from '../platform/blobs/place.ts'
import { embeddingProviders } from '../platform/embeddings/embedder.ts'
import { photoProviders } from '../platform/images/photo-search.ts'
import { rerankProviders } from '../platform/reranking/reranker.ts'
import { InvoicingInput } from './invoicing-schema.ts'
import { MailInput } from './mail-schema.ts'
import type { CopydeskOptions } from './options.ts'

const text = z.string().min(1, 'is empty')
const words = z.array(text)
const url = z
  .string()
  .refine((given) => isWebUrl(given), 'must be a URL that starts with http:// or https://')
const whole = z.int('must be a whole number')
const count = whole.min(0, 'must not be negative')
const keyId = z.string().regex(/^[\w-]{1,64}$/, 'an id has 1 to 64 letters, digits, "-" or "_"')
const createdAt = z.string().optional()
const usdPerMillion = z.number().min(0, 'must not be negative')

/** Something that is called, or that has functions of these names. */
function able<T>(names: readonly string[], what: string): z.ZodType<T> {
  return z.custom<T>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
    `must be ${what}, with the functions ${names.join(', ')}`,
  )
}
const called = z.custom<unknown>((value) => typeof value === 'function', 'must be a function')

/** What only the part that uses it can judge, said before that part is made. */
function usable<T>(schema: z.ZodType<T>, use: (value: T) => unknown): z.ZodType<T> {
  return schema.superRefine((value, { addIssue }) => {
    try {
      use(value)
    } catch (error) {
      // It names the option itself.
      addIssue({ code: 'custom', message: (error as Error).message.replace(/^\w+: /, '') })
    }
  })
}

const proxies = z.union([
  words,
  z.strictObject({ addresses: words.optional(), forwardedFor: z.enum(['set', 'append']).optional() }),
])

const clientNames =
  'clientId clientSecret baseUrl authBaseUrl uploadBaseUrl apiVersion developerToken authorizeUrl tokenUrl revokeUrl accountUrl'
const Client = z.strictObject({
  ...Object.fromEntries(clientNames.split(' ').map((name) => [name, text.optional()])),
  scopes: words.optional(),
})

/** What stands in them is read when the commands are made. */
const commandNames = [
  'resumeArgv',
  'stdin',
  'files',
  'env',
  'passEnv',
  'output',
  'lines',
  'exitCodes',
  'failures',
  'version',
  'check',
  'maxOutputBytes',
  'tenantIds',
] as const satisfies readonly (keyof CommandOptions)[]
const Command = z.strictObject({
  argv: z.array(z.string()),
  ...Object.fromEntries(commandNames.map((name) => [name, z.unknown().optional()])),
})

const Embeddings = z
  .strictObject({
    provider: z.enum(embeddingProviders),
    model: text,
    dimensions: whole.min(1, 'must be 1 or more').max(8_192, 'must be 8192 or less').optional(),
    baseUrl: url.optional(),
    apiKey: text.optional(),
  })
  .superRefine(({ provider, baseUrl, apiKey }, { addIssue }) => {
    const wrong = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message })
    const isServer = provider === 'local' || provider === 'custom'
    if (isServer && baseUrl === undefined)
      wrong('baseUrl', `is missing: the address of the server, which ${provider} needs`)
    if (provider === 'hosted_b' && apiKey === undefined) wrong('apiKey', 'is missing: hosted_b needs one')
    if (provider !== 'static') return
    if (baseUrl !== undefined) wrong('baseUrl', 'must be omitted: static is a folder of this machine')
    if (apiKey !== undefined) wrong('apiKey', 'must be omitted: static is a folder of this machine')
  })

const Storage = z.strictObject({
  url: text.optional(),
  accessKeyId: text.optional(),
  secretAccessKey: text.optional(),
})

const fields = {
  database: z.union([
    text,
    z.strictObject({ url: text, listenUrl: text.optional(), preparedStatements: z.boolean().optional() }),
  ]),
  dataDir: text,
  storage: usable(Storage, (given) => placeOf(given, '')).optional(),
  baseUrl: url,
  encryptionKeys: z
    .array(
      z.strictObject({
        id: keyId,
        createdAt,
        key: z
          .string()
          .refine(is32Bytes, 'must be 32 bytes in base64, such as `openssl rand -base64 32` prints'),
      }),
    )
    .min(1, 'must hold one key or more'),
  signingKeys: z
    .array(
      z.strictObject({
        id: keyId,
        createdAt,
        secret: z
          .string()
          .min(32, 'must have 32 characters or more, such as `openssl rand -base64 48` prints'),
      }),
    )
    .min(1, 'must hold one key or more'),
  reloadKeys: called.optional(),
  environment: z.enum(['production', 'development']).optional(),
  log: able(['debug', 'info', 'warn', 'error', 'child'], 'a logger').optional(),
  clock: able(['now', 'date', 'after'], 'a clock').optional(),
  trustProxy: usable(proxies, (given) => createClientIp(trustedProxies(given))).optional(),
  corsOrigins: usable(z.array(z.string()), (origins) => createCors({ origins })).optional(),
  allowHosts: words.optional(),
  providers: z
    .array(
      z.strictObject({
        id: text,
        type: z.enum(['hosted_a', 'hosted_b', 'local', 'custom']),
        apiKey: z.string().optional(),
        baseUrl: text.optional(),
        models: words,
      }),
    )
    .optional(),
  commands: z.record(z.string(), Command).optional(),
  mail: MailInput.optional(),
  push: z
    .strictObject({
      android: z
        .strictObject({ serviceAccount: text, baseUrl: text.optional(), tokenUrl: text.optional() })
        .optional(),
      ios: z
        .strictObject({
          keyId: text,
          teamId: text,
          key: text,
          topic: text,
          baseUrl: text.optional(),
          ca: text.optional(),
        })
        .optional(),
    })
    .optional(),
  sms: z
    .union([
      z.strictObject({ accountSid: text, authToken: text, from: text, baseUrl: url.optional() }),
      able(['send', 'check'], 'a sender of text messages'),
    ])
    .optional(),
  appScheme: text.optional(),
  channels: z
    .strictObject({
      redirectUrls: words.optional(),
      ...Object.fromEntries(channelTypes.map((type) => [type, Client.optional()])),
    })
    .optional(),
  payments: z
    .union([
      z.strictObject({
        provider: z.enum(hostedPaymentProviders),
        keyId: text,
        keySecret: text,
        webhookSecrets: z.array(text).min(1, 'needs one secret').max(2, 'has room for two secrets'),
        baseUrl: url.optional(),
      }),
      able(['openCheckout', 'change', 'cancel'], 'a payment provider'),
    ])
    .optional(),
  invoicing: InvoicingInput.optional(),
  quotas: z.strictObject({ tenantBytes: count.optional(), installationBytes: count.optional() }).optional(),
  registration: z.enum(['open', 'closed']).optional(),
  freeTenants: z
    .strictObject({
      perDay: count.optional(),
      monthlyUsd: z.number().min(0, 'must not be negative').optional(),
    })
    .optional(),
  defaultModel: text.optional(),
  models: z
    .strictObject({
      fallback: words.optional(),
      prices: z
        .array(z.strictObject({ model: text, input: usdPerMillion, output: usdPerMillion }))
        .optional(),
    })
    .optional(),
  embeddings: Embeddings.optional(),
  rerank: z
    .strictObject({ provider: z.enum(rerankProviders), model: text, baseUrl: url, apiKey: text.optional() })
    .optional(),
  images: z
    .strictObject({ provider: z.enum(photoProviders), baseUrl: url.optional(), apiKey: text.optional() })
    .optional(),
  referencePage: text.optional(),
  doors: z.enum(['all', 'health']).optional(),
  worker: z
    .union([z.literal(false), z.strictObject({ concurrency: count, leaseMs: z.number().min(1).optional() })])
    .optional(),
  synchronous: z.enum(['full', 'off']).optional(),
  passwordCost: z.enum(['full', 'low']).optional(),
  writerPaceMs: z.number().min(0).optional(),
  redis: z
    .strictObject({
      url: z.string().regex(/^rediss?:\/\/./, 'must start with redis:// or rediss://'),
      prefix: text.optional(),
      timeoutMs: z.number().min(1).optional(),
      retryMs: z.number().min(1).optional(),
      leaseMs: z.number().min(1).optional(),
    })
    .optional(),
  onUndeclaredError: called.optional(),
} satisfies Record<keyof CopydeskOptions, z.ZodType>

/** The options as they may be given; what is wrong with one is said in its message. */
export const Options = z.strictObject(fields)

function isWebUrl(given: string): boolean {
  return /^https?:$/.test(URL.parse(given)?.protocol ?? '')
}

function is32Bytes(given: string): boolean {
  const bytes = Buffer.from(given, 'base64')
  return bytes.length === 32 && bytes.toString('base64').replace(/=+$/, '') === given.replace(/=+$/, '')
}
