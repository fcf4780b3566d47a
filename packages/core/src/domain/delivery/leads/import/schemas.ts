import { z } from 'zod'
import { isoDate, ulid } from '../../../../platform/wire.ts'
import { duplicatePolicies, importStatuses } from '../entities.ts'
import { leadStatuses } from '../fields.ts'

/** The largest file, bytes. */
export const maxImportBytes = 10 * 1024 * 1024

/** How many errors the state of an import shows. */
export const shownErrors = 100

export const NewImport = z.object({
  /** What the leads came from; each of them shows it as its `sourceRef`. Default: the name of the file. */
  source: z.string().trim().min(1).max(100).optional(),
  /** What happens to a line whose lead is there already: left out, or its values that are not empty put into the lead. */
  duplicates: z.enum(duplicatePolicies).default('skip'),
})
export type NewImport = z.output<typeof NewImport>

export const ImportReceipt = z.object({ importId: ulid, total: z.int(), status: z.literal('processing') })
export type ImportReceipt = z.output<typeof ImportReceipt>

const LineError = z.object({
  /** The line of the file on which it begins; the header is line 1 in most files. */
  row: z.int(),
  reason: z.string(),
})

export const ImportState = z.object({
  importId: ulid,
  status: z.enum(importStatuses),
  total: z.int(),
  imported: z.int(),
  /** Leads that were there and have values of the file now. */
  updated: z.int(),
  skipped: z.int(),
  /** The first 100; all of them are in the file of errors. */
  errors: z.array(LineError),
  errorsComplete: z.boolean(),
  /** Why it has failed as a whole. */
  reason: z.string().optional(),
  source: z.string(),
  fileName: z.string(),
  duplicates: z.enum(duplicatePolicies),
  createdOn: isoDate,
  finishedOn: isoDate.optional(),
  /** `kept` are leads that were changed since, and those that were there before. */
  undo: z.object({ status: z.enum(['processing', 'completed']), removed: z.int(), kept: z.int() }).optional(),
})
export type ImportState = z.output<typeof ImportState>

export const ImportPreview = z.object({
  total: z.int(),
  invalid: z.int(),
  delimiter: z.string(),
  /** By column of the file: its header, and the field that it fills; null for one that is left out. */
  columns: z.array(z.object({ header: z.string(), field: z.string().nullable() })),
  /** The first 20 that would become leads. Whether they are there already is not looked up. */
  rows: z.array(
    z.object({
      row: z.int(),
      lead: z.object({
        firstName: z.string(),
        lastName: z.string(),
        email: z.string().optional(),
        phone: z.string().optional(),
        company: z.string().optional(),
        status: z.enum(leadStatuses).optional(),
        score: z.int().optional(),
        tags: z.array(z.string()).optional(),
        notes: z.string().optional(),
      }),
    }),
  ),
  /** The first 100. */
  errors: z.array(LineError),
})
export type ImportPreview = z.output<typeof ImportPreview>
