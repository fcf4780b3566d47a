import { z } from 'zod'
import { defineJob } from '../../../../kernel/jobs.ts'

const ofImport = z.object({ importId: z.string() })

/** Makes leads of the lines of a file. A process that dies costs an attempt, and loses nothing. */
export const importLeadsJob = defineJob('lead.import', ofImport, { cap: 2, maxAttempts: 20 })

/** Removes the leads that an import has made. */
export const undoImportJob = defineJob('lead.undo_import', ofImport, { cap: 1, maxAttempts: 20 })

/** Removes the text of a file that is needed no more. */
export const tidyImportJob = defineJob(
  'lead.tidy_import',
  z.object({ tenantId: z.string(), importId: z.string() }),
)
