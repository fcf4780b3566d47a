import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { oneTenant, within } from '../scope.ts'
import type { Brand } from './entities.ts'
import type { BrandContextState } from './schemas.ts'

/**
 * What is known of the brand of the context's tenant; everything is empty where nobody has said anything.
 * Serves `GET /tenant/v1/context`.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the caller could mean several tenants
 */
export async function getBrandContext(ctx: Ctx): Promise<BrandContextState> {
  const row = await ctx.sql.get<Row>(
    'select brand, version, updated_on from brand_profiles where tenant_id = ?',
    [oneTenant(ctx)],
  )
  if (!row) return { ...nothingSaid, version: 0, updatedOn: null }
  return {
    ...(asJson<Brand>(row.brand) as Brand),
    version: row.version as number,
    updatedOn: asInstant(row.updated_on),
  }
}

/** The brand that texts of a tenant are held against; undefined where nobody has said anything, or it is out of scope. */
export async function brandToCheck(ctx: Ctx, tenantId: string): Promise<Brand | undefined> {
  const scope = within(ctx.scope, 'tenant_id')
  const row = await ctx.sql.get<Row>(
    `select brand from brand_profiles where tenant_id = ? and ${scope.sql}`,
    [tenantId, ...scope.params],
  )
  return asJson<Brand>(row?.brand) ?? undefined
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
