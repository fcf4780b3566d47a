import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0004-operators',
  up: {
    sqlite: ['alter table `tenant_agents` add column `status_before` text null'],
    postgresql: ['alter table "tenant_agents" add "status_before" varchar(255) null'],
  },
  down: {
    sqlite: ['alter table `tenant_agents` drop column `status_before`'],
    postgresql: ['alter table "tenant_agents" drop column "status_before"'],
  },
}
