import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0033-deliverables-index',
  up: {
    sqlite: [
      'create index `periods_by_tenant` on `periods` (`tenant_id`, `id`)',
      'create index `periods_by_start` on `periods` (`period_start`)',
    ],
    postgresql: [
      'create index "periods_by_tenant" on "periods" ("tenant_id", "id")',
      'create index "periods_by_start" on "periods" ("period_start")',
    ],
  },
  down: {
    sqlite: ['drop index `periods_by_tenant`', 'drop index `periods_by_start`'],
    postgresql: ['drop index "periods_by_tenant"', 'drop index "periods_by_start"'],
  },
}
