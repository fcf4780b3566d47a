import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0061-refused-figures',
  up: {
    sqlite: ['alter table `channel_connections` add column `figures_refused_at` datetime null'],
    postgresql: ['alter table "channel_connections" add "figures_refused_at" timestamptz(3) null'],
  },
  down: {
    sqlite: ['alter table `channel_connections` drop column `figures_refused_at`'],
    postgresql: ['alter table "channel_connections" drop column "figures_refused_at"'],
  },
}
