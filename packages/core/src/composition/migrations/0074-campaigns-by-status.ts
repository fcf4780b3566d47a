import type { MigrationScript } from '../../platform/database/migrate.ts'

/** Campaigns that wait for people are read by everybody's feed. */
export const migration: MigrationScript = {
  name: '0074-campaigns-by-status',
  up: {
    sqlite: ['create index `campaigns_by_status` on `campaigns` (`tenant_id`, `status`, `updated_on`, `id`)'],
    postgresql: [
      'create index "campaigns_by_status" on "campaigns" ("tenant_id", "status", "updated_on", "id")',
    ],
  },
  down: {
    sqlite: ['drop index `campaigns_by_status`'],
    postgresql: ['drop index "campaigns_by_status"'],
  },
}
