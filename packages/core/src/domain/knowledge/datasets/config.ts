import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { Dataset, type DatasetRow } from './entities.ts'
import { getDataset } from './queries.ts'
import type { DatasetConfig, DatasetDetail } from './schemas.ts'

/**
 * Changes what a dataset is called, who may search it, and how its files are ingested from the next time on. Serves
 * `PATCH …/datasets/:datasetId/config`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on `chunkOverlap` when it is not less than the chunk size
 */
export async function configureDataset(ctx: Ctx, id: string, config: DatasetConfig): Promise<DatasetDetail> {
  await transact(ctx, async (txn) => {
    const dataset = await txn.em.findOne(Dataset, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!dataset) throw notFound('dataset')
    const changes = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined))
    const before = Object.fromEntries(
      Object.keys(changes).map((name) => [name, dataset[name as keyof DatasetRow]]),
    )
    requireOverlap({ ...dataset, ...changes })
    Object.assign(dataset, changes, { updatedOn: txn.clock.date() })
    txn.audit({ tenantId: dataset.tenantId, resourceType: 'dataset', resourceId: id, before, after: changes })
  })
  return getDataset(ctx, id)
}

/** @throws DomainError `VALIDATION_ERROR` on `chunkOverlap` */
export function requireOverlap({
  chunkSize,
  chunkOverlap,
}: Pick<DatasetRow, 'chunkSize' | 'chunkOverlap'>): void {
  if (chunkOverlap >= chunkSize)
    throw invalid('chunkOverlap', `Must be less than the chunk size, which is ${chunkSize}`)
}
