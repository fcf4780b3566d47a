import type { Ctx } from '../../../kernel/context.ts'
import { oneTenant, within } from '../../../kernel/scope.ts'
import { pick, select, table } from '../../../platform/database/read.ts'
import { type Brand, BrandProfile } from './entities.ts'
import type { BrandContextState } from './schemas.ts'

const b = table(BrandProfile, 'b')
const profile = select(pick(b, 'brand', 'version', 'updatedOn'))

/**
 * What is known of the brand of the context's tenant; everything is empty where no one has said anything.
 * Serves `GET /tenant/v1/context`.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the caller could mean several tenants
 */
export async function getBrandContext(ctx: Ctx): Promise<BrandContextState> {
  const row = await profile.get(ctx.sql, `from ${b} where b.tenant_id = ?`, [oneTenant(ctx)])
  const { brand, ...state } = row ?? { brand: nothingSaid, version: 0, updatedOn: null }
  return { ...brand, ...state }
}

/** The brand that texts of a tenant are held against; undefined where no one has said anything, or it is out of scope. */
export async function brandToCheck(ctx: Ctx, tenantId: string): Promise<Brand | undefined> {
  const scope = within(ctx.scope, 'b.tenant_id')
  const row = await profile.get(ctx.sql, `from ${b} where b.tenant_id = ? and ${scope.sql}`, [
    tenantId,
    ...scope.params,
  ])
  return row?.brand
}

const nothingSaid: Brand = {
  company: { name: null, description: '' },
  products: [],
  audiences: [],
  competitors: [],
  voice: '',
  bannedPhrases: [],
  claims: [],
}
