import type { Transaction } from '../../../kernel/context.ts'
import { Dataset } from './entities.ts'

/** What every tenant has from the start, by the name that commands call it. */
const standard = [
  {
    slug: 'client-documents',
    name: 'Client documents',
    description:
      'What the company has given: brand, products, prices, guidelines, and the pieces that were approved.',
  },
  {
    slug: 'website-content',
    name: 'Website',
    description: 'The pages of the company’s own website.',
  },
  {
    slug: 'competitor-research',
    name: 'Competitor research',
    description: 'What others in the market say and offer.',
  },
] as const

/** Gives a new tenant its datasets. */
export function provisionDatasets(txn: Transaction, tenantId: string): void {
  const now = txn.clock.date()
  for (const each of standard) {
    txn.insert(Dataset, {
      ...each,
      id: txn.newId(),
      tenantId,
      chunkSize: 512,
      chunkOverlap: 64,
      parseType: 'MARKDOWN',
      parserEngine: 'NATIVE',
      allowedAgentRoles: null,
      languages: [],
      createdOn: now,
      updatedOn: now,
    })
  }
}
