import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import { transact } from '../../../../kernel/transact.ts'
import { release } from '../../../../platform/threads/release.ts'
import { lockTenant } from '../../../accounts/tenants/status.ts'
import { LeadImport, type LeadImportRow } from '../entities.ts'
import { importBatch, type RowCounts } from './batch.ts'
import { createBatchSize } from './batch-size.ts'
import { type Common, DoubledLead, insertReady } from './insert-queries.ts'
import { LeadIndexes } from './lead-index-queries.ts'
import type { ReadyLeads } from './ready.ts'
import type { Batch } from './text-reader.ts'

/** `elsewhere`: someone else goes on with the import, or it is over; `doubled`: rows were not ready after all. */
export type BatchOutcome = 'written' | 'elsewhere' | 'doubled'

interface Storing {
  outcome: Promise<BatchOutcome>
  durable: Promise<unknown>
}

/**
 * Writes the batches of an import, each in a transaction that also notes how far the text has been read. The next one is made while
 * the disk makes the last one durable.
 */
export class BatchWriter {
  readonly size: ReturnType<typeof createBatchSize>
  readonly #indexes = new LeadIndexes()
  readonly #ctx: Ctx
  readonly #importId: string
  #last: Promise<unknown> = Promise.resolve()

  /** @param ctx of the import's tenant */
  constructor(ctx: Ctx, importId: string) {
    this.#ctx = ctx
    this.#importId = importId
    this.size = createBatchSize(ctx.db.dialect)
  }

  /** @returns when it is known what becomes of the batch: what is written may not be durable yet */
  async write(batch: Batch): Promise<BatchOutcome> {
    const before = this.#last
    const outcome = await this.#add(batch)
    if (outcome !== 'elsewhere') return outcome
    // The batch before this one may have been tried again, after this one.
    await before
    return this.#add(batch)
  }

  /** @returns when everything is durable @throws what a transaction has failed of */
  async end(): Promise<void> {
    await this.#last
  }

  /** When nothing is being written any more, whatever has become of it. */
  async settled(): Promise<void> {
    await this.#last.catch(() => undefined)
  }

  #add(batch: Batch): Promise<BatchOutcome> {
    const { outcome, durable } = this.#begin(batch)
    this.#last = durable
    durable
      .then(async () => {
        // Elsewhere, they may be written yet.
        if ((await outcome) !== 'elsewhere') for (const { values } of batch.ready ?? []) release(values)
      })
      .catch(() => undefined)
    return outcome
  }

  #begin(batch: Batch): Storing {
    const { promise: outcome, resolve, reject } = Promise.withResolvers<BatchOutcome>()
    const durable = transact(
      this.#ctx,
      async (txn) => {
        // In the order in which new leads lock.
        await lockTenant(txn, oneTenant(txn))
        const row = await lockImport(txn, this.#importId)
        const isNext = row?.status === 'processing' && row.readBytes === batch.from.at
        if (isNext) await this.size.timed(batch.count, () => this.#take(txn, row, batch))
        resolve(isNext ? 'written' : 'elsewhere')
      },
      { inThread: true },
    ).catch((error: unknown) => {
      if (!(error instanceof DoubledLead)) throw error
      resolve('doubled')
    })
    durable.catch(reject)
    return { outcome, durable }
  }

  async #take(txn: Transaction, row: LeadImportRow, { ready, rows, after }: Batch): Promise<void> {
    const { id: importId, tenantId, label } = row
    const common = { tenantId, label, importId, now: txn.clock.date(), indexes: this.#indexes }
    const counts = await (ready ? addReady(txn, common, ready) : importBatch(txn, row, rows, common))
    row.imported += counts.imported
    row.updated += counts.updated
    row.skipped += counts.skipped
    Object.assign(row, { readBytes: after.at, nextLine: after.line })
  }
}

async function addReady(txn: Transaction, common: Common, chunks: readonly ReadyLeads[]): Promise<RowCounts> {
  const imported = await insertReady(txn, common, chunks)
  return { imported, updated: 0, skipped: 0 }
}

export const lockImport = (txn: Transaction, id: string) =>
  txn.em.findOne(LeadImport, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
