import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { ChannelConnection, type ConnectionRow } from '../../accounts/channels/entities.ts'
import { Publication, type PublicationRow } from './entities.ts'
import { changeJob, publishJob } from './jobs.ts'

const lockMode = LockMode.PESSIMISTIC_WRITE

/** Loads an intent and locks it. @throws DomainError `NOT_FOUND` */
export async function lockPublication(txn: Transaction, id: string): Promise<PublicationRow> {
  const found = await txn.em.findOne(Publication, { id }, { lockMode })
  if (!found) throw notFound('publication')
  return found
}

/** The channel of an intent, locked; always after the intent. */
export function lockConnection(txn: Transaction, id: string): Promise<ConnectionRow | null> {
  return txn.em.findOne(ChannelConnection, { id }, { lockMode })
}

/** Says when an intent is looked at next, in the transaction that changes it. */
export function lookAt(txn: Transaction, publication: PublicationRow, at: Date): void {
  publication.nextAt = at
  enqueueTurn(txn, publishJob, publication, at)
}

/** Says when the newer text of an intent that is out is looked at next, in the transaction that changes it. */
export function lookAtChange(txn: Transaction, publication: PublicationRow, at: Date): void {
  publication.changeNextAt = at
  enqueueTurn(txn, changeJob, publication, at)
}

function enqueueTurn(txn: Transaction, job: typeof publishJob, publication: PublicationRow, at: Date): void {
  const { id, tenantId, attempt } = publication
  publication.updatedOn = txn.clock.date()
  txn.enqueue(job, {
    tenantId,
    payload: { publicationId: id },
    runAt: at,
    // Another job than the one that asks for it, into which it would fold.
    uniqueKey: `${job.kind}:${id}:${attempt}:${at.getTime()}`,
  })
}
