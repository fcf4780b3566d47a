import { check } from '../check.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { oneTenant } from '../scope.ts'
import { lockTenant } from '../tenants/status.ts'
import { keepVersion, versionData, type VersionSubject } from '../versions/keep.ts'
import { getVersion, listVersions } from '../versions/queries.ts'
import type { VersionListQuery, VersionQuery } from '../versions/schemas.ts'
import { type Brand, BrandProfile } from './entities.ts'
import { getBrandContext } from './queries.ts'
import { BrandContext, type BrandContextState } from './schemas.ts'

/**
 * Says anew what the brand of the context's tenant is, as a whole; agents are told of it with their next run, and texts are
 * held against it from now on. A phrase that is listed twice is kept once. Serves `PUT /tenant/v1/context`.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the caller could mean several tenants
 */
export function putBrandContext(ctx: Ctx, brand: BrandContext): Promise<BrandContextState> {
  const bannedPhrases = [...new Set(brand.bannedPhrases)]
  return command(ctx, (cmd) => keep(cmd, { ...brand, bannedPhrases }))
}

/**
 * Puts a former state back, as a new version. Serves `POST /tenant/v1/context/versions/:version/restore`.
 * @throws DomainError `NOT_FOUND`
 */
export function restoreBrandContext(ctx: Ctx, version: number): Promise<BrandContextState> {
  return command(ctx, async (cmd) => {
    const data = await versionData(cmd, subjectOf(cmd), version)
    // What a version of long ago lacks is empty.
    return keep(cmd, check(BrandContext, data), `Version ${version} put back`)
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
export async function brandOf(cmd: Command, tenantId: string): Promise<Brand | null> {
  return (await cmd.em.findOne(BrandProfile, { tenantId }))?.brand ?? null
}

async function keep(cmd: Command, brand: Brand, note?: string): Promise<BrandContextState> {
  const subject = subjectOf(cmd)
  const { tenantId } = subject
  // There may be no profile to lock yet.
  await lockTenant(cmd, tenantId)
  const now = cmd.clock.date()
  const row = await cmd.em.findOne(BrandProfile, { tenantId })
  const before = row && { data: { ...row.brand }, since: row.updatedOn, version: row.version }
  const version = await keepVersion(cmd, {
    ...subject,
    ...(before && { before }),
    after: { ...brand },
    ...(note !== undefined && { note }),
  })
  if (version !== before?.version) {
    if (row) Object.assign(row, { brand, version, updatedOn: now })
    else cmd.em.create(BrandProfile, { tenantId, brand, version, updatedOn: now })
    cmd.audit({
      tenantId,
      resourceType: 'brand',
      resourceId: tenantId,
      before: before && { version: before.version },
      after: { version },
    })
  }
  await cmd.em.flush()
  return getBrandContext({ ...cmd, sql: cmd.tx })
}

function subjectOf(ctx: Ctx): VersionSubject & { tenantId: string } {
  const tenantId = oneTenant(ctx)
  return { kind: 'brand', subjectId: tenantId, tenantId }
}
