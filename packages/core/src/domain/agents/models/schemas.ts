import { z } from 'zod'
import { isoDate } from '../../../platform/wire.ts'
import { planNames } from '../../accounts/billing/plans/entities.ts'
import { providerHealth, providerTypes } from './entities.ts'

const baseUrl = z
  .string()
  .max(2_000)
  .refine((text) => {
    const url = URL.parse(text)
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  }, 'Must be an http or https URL without a user name or password in it')

const apiKey = z
  .string()
  .min(1)
  .max(4_000)
  .regex(/^[\x21-\x7e]+$/, 'Must be printable ASCII without spaces')

const models = z
  .array(
    z.strictObject({
      /** The name that the provider knows it by. */
      id: z.string().trim().min(1).max(200),
      /** For people. */
      name: z.string().trim().min(1).max(200),
      /** Plans whose tenants may use it; an empty list is no one. */
      availableOnPlans: z.array(z.enum(planNames)).max(planNames.length),
    }),
  )
  .min(1)
  .max(200)
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, 'Names a model twice')

/** A source of models to be added. */
export const NewProvider = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    type: z.enum(providerTypes),
    /** Stored encrypted and never shown again. */
    apiKey: apiKey.optional(),
    /** With the version in its path, such as `http://127.0.0.1:11434/v1`; needed for `local` and `custom`. */
    baseUrl: baseUrl.optional(),
    models,
  })
  .refine(({ type, baseUrl }) => type === 'hosted_a' || type === 'hosted_b' || baseUrl !== undefined, {
    path: ['baseUrl'],
    message: 'A local or custom provider needs a base URL',
  })
export type NewProvider = z.output<typeof NewProvider>

/** What is not named stays as it is; `models` replaces the whole list. */
export const ProviderChanges = z.strictObject({
  apiKey: apiKey.optional(),
  baseUrl: baseUrl.optional(),
  models: models.optional(),
  /** The models of a disabled provider are served to no one. */
  status: z.enum(['active', 'disabled']).optional(),
})
export type ProviderChanges = z.output<typeof ProviderChanges>

/** A source of models, without its key. */
export const ProviderItem = z.object({
  /** A ULID; of a provider of the configuration its name there. */
  id: z.string(),
  name: z.string(),
  type: z.enum(providerTypes),
  /** By the last word from it, a check or a call; `degraded` until there is one. */
  status: z.enum(providerHealth),
  /** What is wrong, and what to do. */
  statusMessage: z.string().nullable(),
  /** False while it is switched off. */
  enabled: z.boolean(),
  /** Providers of the configuration are changed there. */
  source: z.enum(['database', 'configuration']),
  baseUrl: z.string().nullable(),
  hasApiKey: z.boolean().optional(),
  models: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      available: z.boolean(),
      availableOnPlans: z.array(z.string()),
    }),
  ),
  /** As the provider says in its answers. */
  rateLimitRpm: z.int().optional(),
  rateLimitTpm: z.int().optional(),
  /** Null before the first check. */
  lastCheckedAt: isoDate.nullable(),
  /** Since the month began, in UTC. */
  monthlyCallCount: z.int(),
  monthlySpendUsd: z.number(),
  createdOn: isoDate.nullable(),
})
export type ProviderItem = z.output<typeof ProviderItem>
export const ProviderList = z.object({ data: z.array(ProviderItem) })
