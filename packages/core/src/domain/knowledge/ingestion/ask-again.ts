import type { Transaction } from '../../../kernel/context.ts'
import type { KnowledgeFileRow } from '../datasets/entities.ts'
import { fileToIngest, ingestJob } from './jobs.ts'

/** Has a file ingested once more, beside what is searched of it. The caller holds its lock. */
export function askAgain(txn: Transaction, file: KnowledgeFileRow): void {
  Object.assign(file, { status: 'pending', progress: 0, errorMessage: null, updatedOn: txn.clock.date() })
  txn.enqueue(ingestJob, fileToIngest(file))
}
