import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0016-terminal',
  up: {
    sqlite: [
      "create index `activities_at_work` on `activities` (`tenant_id`, `status_since`, `id`) where status = 'in_progress'",
      'create index `runs_costs` on `runs` (`tenant_id`, `id`, `created_on`, `cost_micros`) where cost_micros > 0',
    ],
    postgresql: [
      'create index "activities_at_work" on "activities" ("tenant_id", "status_since", "id") where status = \'in_progress\'',
      'create index "runs_costs" on "runs" ("tenant_id", "id", "created_on", "cost_micros") where cost_micros > 0',
    ],
  },
  down: {
    sqlite: ['drop index `activities_at_work`', 'drop index `runs_costs`'],
    postgresql: ['drop index "activities_at_work"', 'drop index "runs_costs"'],
  },
}
