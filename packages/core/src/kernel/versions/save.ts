import { isDeepStrictEqual } from 'node:util'
import { actorName, type Transaction } from '../context.ts'
import { notFound } from '../errors.ts'
import { ConfigVersion, type ConfigVersionRow, type VersionData, type VersionKind } from './entities.ts'

/** Whose versions are meant. */
export interface VersionSubject {
  kind: VersionKind
  subjectId: string
  /** Null for what belongs to the installation. */
  tenantId: string | null
}

export interface VersionChange extends VersionSubject {
  /** The state before the change and since when it was; absent when the subject is created. */
  before?: { data: VersionData; since: Date }
  after: VersionData
  note?: string
}

/**
 * Keeps a change as a version, in the transaction of the change. The state before it is kept as well when no version
 * holds it, so that the original can be put back; a change that changes nothing is no version. The caller has locked
 * the subject, which puts changes at the same time in order.
 * @returns the version that is in force now
 */
export async function saveVersion(txn: Transaction, change: VersionChange): Promise<number> {
  const { before, after, note = null, ...subject } = change
  const latest = await txn.em.findOne(ConfigVersion, where(subject), { orderBy: { version: 'desc' } })
  let version = latest?.version ?? 0
  let known = latest && asPlain(latest.data)
  const add = (data: VersionData, made: Made) => {
    const plain = asPlain(data)
    if (isDeepStrictEqual(known, plain)) return
    version += 1
    known = plain
    const sizeBytes = Buffer.byteLength(JSON.stringify(plain))
    txn.em.create(ConfigVersion, { id: txn.newId(), ...subject, version, data: plain, sizeBytes, ...made })
  }
  if (before)
    add(before.data, {
      createdById: 'system',
      createdByName: 'Copydesk',
      createdOn: before.since,
      note: null,
    })
  const [createdById, createdByName] = [txn.actor.id, actorName(txn)]
  add(after, { createdById, createdByName, createdOn: txn.clock.date(), note })
  return version
}

type Made = Pick<ConfigVersionRow, 'createdById' | 'createdByName' | 'createdOn' | 'note'>

/**
 * What a version holds, to put it back.
 * @throws DomainError `NOT_FOUND`
 */
export async function versionData(
  txn: Transaction,
  subject: VersionSubject,
  version: number,
): Promise<VersionData> {
  const found = await txn.em.findOne(ConfigVersion, { ...where(subject), version })
  if (!found) throw notFound('version', { by: 'number' })
  return found.data
}

function where({ kind, subjectId, tenantId }: VersionSubject) {
  return { kind, subjectId, tenantId }
}

/** As it is after a way through the database: without fields that are undefined. */
function asPlain(data: VersionData): VersionData {
  return JSON.parse(JSON.stringify(data)) as VersionData
}
