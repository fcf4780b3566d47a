import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0053-approved-by',
  up: {
    sqlite: [
      "create index `approvals_approved_by` on `approvals` (`resolved_by_id`, `resolved_at`, `id`) where status = 'approved' and content_of is not null",
    ],
    postgresql: [
      'create index "approvals_approved_by" on "approvals" ("resolved_by_id", "resolved_at", "id") where status = \'approved\' and content_of is not null',
    ],
  },
  down: {
    sqlite: ['drop index `approvals_approved_by`'],
    postgresql: ['drop index "approvals_approved_by"'],
  },
}
