import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'

const line = (max: number) => z.string().trim().min(1).max(max)

const described = (max: number) =>
  z
    .array(z.object({ name: line(200), description: z.string().max(1_000).default('') }))
    .max(max)
    .default([])

/** The whole of a brand: what is left out is empty afterwards. It goes into every prompt, which sets its limits. */
export const BrandContext = z.object({
  company: z
    .object({
      /** How the company is called in texts; null is by the tenant's name. */
      name: line(200).nullable().default(null),
      description: z.string().max(10_000).default(''),
    })
    .default({ name: null, description: '' }),
  products: described(50),
  audiences: described(20),
  competitors: described(50),
  voice: z.string().max(10_000).default(''),
  /** What no text may say, in any case and whatever stands between the words. */
  bannedPhrases: z.array(line(200)).max(300).default([]),
  /** What texts may say with proof only; null while there is none. */
  claims: z
    .array(z.object({ phrase: line(200), proof: line(2_000).nullable().default(null) }))
    .max(100)
    .default([]),
})
export type BrandContext = z.output<typeof BrandContext>

export const BrandContextState = BrandContext.extend({
  /** From 1; 0 while nothing has been said. */
  version: z.int(),
  updatedOn: isoDate.nullable(),
})
export type BrandContextState = z.output<typeof BrandContextState>

/** Which tenant is read, for those who are assigned to several. */
export const OfTenant = z.object({ tenantId: ulid.optional() })

export const checkKinds = ['banned_phrase', 'unproven_claim', 'contradicts_source'] as const

/** Something in a text that a person should look at before the verdict. */
export const ContentCheck = z.object({
  kind: z.enum(checkKinds),
  /** As the brand's profile has it; of a contradiction the sentence as the text has it. */
  phrase: z.string(),
  /** How often the text says it; 1,000 stands for that or more. */
  count: z.int(),
  /** Of a contradiction: what a document of the knowledge base says instead, and where. */
  source: z
    .object({
      title: z.string(),
      text: z.string(),
      chunkId: ulid,
      fileId: ulid,
      datasetId: ulid,
      page: z.int().optional(),
      heading: z.string().optional(),
      url: z.string().optional(),
    })
    .optional(),
})
export type ContentCheck = z.output<typeof ContentCheck>
