import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0042-jobs-asked-again',
  up: {
    sqlite: ['alter table `job` add column `asked_again` integer not null default false'],
    postgresql: ['alter table "job" add "asked_again" boolean not null default false'],
  },
  down: {
    sqlite: ['alter table `job` drop column `asked_again`'],
    postgresql: ['alter table "job" drop column "asked_again"'],
  },
}
