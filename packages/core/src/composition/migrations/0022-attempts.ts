import type { MigrationScript } from '../../platform/database/migrate.ts'

/** Of a run that is open, only the newest attempt is good, as it was before; what has no owner is at its runtime. */
const fence = `case when status = 'running' then attempt - 1 else attempt end`

export const migration: MigrationScript = {
  name: '0022-attempts',
  up: {
    sqlite: [
      'alter table `runs` add column `fence` integer not null default 0',
      'alter table `runs` add column `handed_over_at` datetime null',
      `update runs set fence = ${fence} where open = 1`,
      `update runs set handed_over_at = started_at where open = 1 and status = 'running' and lease_owner is null`,
    ],
    postgresql: [
      'alter table "runs" add "fence" int not null default 0, add "handed_over_at" timestamptz(3) null',
      `update runs set fence = ${fence} where open`,
      `update runs set handed_over_at = started_at where open and status = 'running' and lease_owner is null`,
    ],
  },
  down: {
    sqlite: ['alter table `runs` drop column `fence`', 'alter table `runs` drop column `handed_over_at`'],
    postgresql: ['alter table "runs" drop column "fence", drop column "handed_over_at"'],
  },
}
