import { z } from 'zod'
import { ulid } from '../../../platform/wire.ts'
import { approvalTypes, riskLevels } from './entities.ts'
import { areHashesOf, SeenHashes } from './schemas.ts'

/** One verdict on what is named, or on what matches; one of the two. */
export const MatchingVerdict = z
  .object({
    action: z.enum(['approve', 'reject']),
    ids: z.array(ulid).min(1).max(500).optional(),
    filter: z
      .object({
        type: z.enum(approvalTypes).optional(),
        riskLevel: z.enum(riskLevels).optional(),
        tenantId: ulid.optional(),
        /** Asked longer ago than so many minutes. */
        ageMinutesGt: z.int().min(0).max(525_600).optional(),
      })
      .optional(),
    /** Told to the agents when rejected. */
    note: z.string().max(10_000).optional(),
    dryRun: z.boolean().default(false),
    /** Only with `ids`. */
    contentHashes: SeenHashes.optional(),
  })
  .refine(({ contentHashes, ids }) => areHashesOf(contentHashes, ids), {
    path: ['contentHashes'],
    message: 'Must be of approvals that ids names',
  })
export type MatchingVerdict = z.output<typeof MatchingVerdict>

export const MatchingReceipt = z.object({
  dryRun: z.boolean(),
  matched: z.int(),
  /** 0 on a dry run. */
  resolved: z.int(),
  skipped: z.int(),
  items: z.array(
    z.object({
      approvalId: ulid,
      title: z.string(),
      tenantName: z.string(),
      result: z.enum(['resolved', 'skipped', 'error']),
      error: z.string().optional(),
      /** SHA-256 of the text that it shows. */
      contentHash: z.string().optional(),
    }),
  ),
})
export type MatchingReceipt = z.output<typeof MatchingReceipt>
