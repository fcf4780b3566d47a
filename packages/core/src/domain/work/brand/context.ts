import { check } from '../../../kernel/check.ts'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { getVersion, listVersions } from '../../../kernel/versions/queries.ts'
import { saveVersion, type VersionSubject, versionData } from '../../../kernel/versions/save.ts'
import type { VersionListQuery, VersionQuery } from '../../../kernel/versions/schemas.ts'
import { lockTenant } from '../../accounts/tenants/status.ts'
import { type Brand, BrandProfile } from './entities.ts'
import { getBrandContext } from './queries.ts'
import { BrandContext, type BrandContextState } from './schemas.ts'

/**
 * Says again what the brand of the context's tenant is, as a whole; agents are told of it with their next run, and texts are
 * held against it from now on. A phrase that is listed twice is kept once. Serves `PUT /tenant/v1/context`.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the caller could mean several tenants
 */
export function putBrandContext(ctx: Ctx, brand: BrandContext): Promise<BrandContextState> {
  const bannedPhrases = [...new Set(brand.bannedPhrases)]
  return transact(ctx, (txn) => keep(txn, { ...brand, bannedPhrases }))
}

/**
 * Puts a former state back, as a new version. Serves `POST /tenant/v1/context/versions/:version/restore`.
 * @throws DomainError `NOT_FOUND`
 */
export function restoreBrandContext(ctx: Ctx, version: number): Promise<BrandContextState> {
  return transact(ctx, async (txn) => {
    const data = await versionData(txn, subjectOf(txn), version)
    // What a version of long ago lacks is empty.
    return keep(txn, check(BrandContext, data), `Version ${version} put back`)
  })
}

/** Everything that was ever said of the brand, newest first. Serves `GET /tenant/v1/context/versions`. */
export async function brandHistory(ctx: Ctx, query?: Partial<VersionListQuery>) {
  return listVersions(ctx, subjectOf(ctx), query)
}

/** @throws DomainError `NOT_FOUND` */
export async function brandVersion(ctx: Ctx, version: number, query?: VersionQuery) {
  return getVersion(ctx, subjectOf(ctx), version, query)
}

/** What a tenant has said of its brand; null when nothing. */
export async function brandOf(txn: Transaction, tenantId: string): Promise<Brand | null> {
  return (await txn.em.findOne(BrandProfile, { tenantId }))?.brand ?? null
}

async function keep(txn: Transaction, brand: Brand, note?: string): Promise<BrandContextState> {
  const subject = subjectOf(txn)
  const { tenantId } = subject
  // There may be no profile to lock yet.
  await lockTenant(txn, tenantId)
  const now = txn.clock.date()
  const row = await txn.em.findOne(BrandProfile, { tenantId })
  const before = row && { data: { ...row.brand }, since: row.updatedOn, version: row.version }
  const version = await saveVersion(txn, {
    ...subject,
    ...(before && { before }),
    after: { ...brand },
    ...(note !== undefined && { note }),
  })
  if (version !== before?.version) {
    if (row) Object.assign(row, { brand, version, updatedOn: now })
    else txn.em.create(BrandProfile, { tenantId, brand, version, updatedOn: now })
    txn.audit({
      tenantId,
      resourceType: 'brand',
      resourceId: tenantId,
      before: before && { version: before.version },
      after: { version },
    })
  }
  await txn.em.flush()
  return getBrandContext(txn)
}

function subjectOf(ctx: Ctx): VersionSubject & { tenantId: string } {
  const tenantId = oneTenant(ctx)
  return { kind: 'brand', subjectId: tenantId, tenantId }
}
