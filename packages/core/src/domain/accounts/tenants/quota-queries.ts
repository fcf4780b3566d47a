import type { Ctx } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { count, select } from '../../../platform/database/read.ts'

/** How much may be kept of what people upload: documents, assets, files of datasets and of imports, and skills in all their versions. Bytes. */
export interface Quotas {
  /** Of one tenant. */
  tenantBytes: number
  /** Of all tenants and the installation itself. */
  installationBytes: number
}

const mebibyte = 1024 * 1024
export const defaultQuotas: Quotas = { tenantBytes: 5_120 * mebibyte, installationBytes: 51_200 * mebibyte }

/**
 * Called before something is kept, and again in the transaction that keeps it.
 * @param tenantId null for what belongs to the installation, which counts to its quota alone
 * @param bytes how much would be added
 * @throws DomainError `PAYLOAD_TOO_LARGE` with `details.quota`, whose quota it would go over: `tenant` or `installation`
 */
export async function requireRoom(ctx: Ctx, tenantId: string | null, bytes: number): Promise<void> {
  const { tenantBytes, installationBytes } = ctx.services.settings.quotas
  if (tenantId !== null && (await keptBytes(ctx, tenantId)) + bytes > tenantBytes)
    throw new DomainError(
      'PAYLOAD_TOO_LARGE',
      `With this, the tenant's documents and skills would take more than its ${Math.floor(tenantBytes / mebibyte)} MiB; delete some first`,
      { details: { quota: 'tenant', limitBytes: tenantBytes } },
    )
  // How full it is, and by whom, is no one's to know here.
  if ((await keptBytes(ctx)) + bytes > installationBytes)
    throw new DomainError(
      'PAYLOAD_TOO_LARGE',
      'This installation has no room for more documents and skills; ask those who run it',
      { details: { quota: 'installation' } },
    )
}

const bytesWhere = (condition: string) =>
  select({
    bytes: count(`(select coalesce(sum(size_bytes), 0) from documents where ${condition})
      + (select coalesce(sum(size_bytes), 0) from assets where ${condition})
      + (select coalesce(sum(file_size_bytes), 0) from knowledge_files where ${condition})
      + (select coalesce(sum(size_bytes), 0) from lead_imports where status = 'processing' and ${condition})
      + (select coalesce(sum(size_bytes), 0) from config_versions where kind = 'skill' and ${condition})`),
  })
const ofTenant = bytesWhere('tenant_id = ?')
const ofAll = bytesWhere('1 = 1')

/** What is kept of one tenant; without one, of all and the installation, whatever the scope is. */
async function keptBytes({ sql }: Ctx, tenantId?: string): Promise<number> {
  const row = await (tenantId === undefined
    ? ofAll.get(sql, '')
    : ofTenant.get(sql, '', Array<string>(5).fill(tenantId)))
  return row?.bytes ?? 0
}

declare module '../../../kernel/services.ts' {
  interface Settings {
    /** How much may be kept of what people upload. */
    quotas: Quotas
  }
}
