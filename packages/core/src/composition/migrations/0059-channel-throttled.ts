import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0059-channel-throttled',
  up: {
    sqlite: ['alter table `channel_connections` add column `throttled` integer not null default 0'],
    postgresql: ['alter table "channel_connections" add "throttled" int not null default 0'],
  },
  down: {
    sqlite: ['alter table `channel_connections` drop column `throttled`'],
    postgresql: ['alter table "channel_connections" drop column "throttled"'],
  },
}
