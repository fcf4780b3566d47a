import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0065-ad-limits',
  up: {
    sqlite: [
      'alter table `ad_limits` add column `set_by_name` text null',
      'alter table `ad_limits` add column `running_micros` bigint null',
      'alter table `ad_limits` add column `running_on` datetime null',
    ],
    postgresql: [
      'alter table "ad_limits" add "set_by_name" varchar(255) null, add "running_micros" bigint null, add "running_on" timestamptz(3) null',
    ],
  },
  down: {
    sqlite: [
      'alter table `ad_limits` drop column `set_by_name`',
      'alter table `ad_limits` drop column `running_micros`',
      'alter table `ad_limits` drop column `running_on`',
    ],
    postgresql: [
      'alter table "ad_limits" drop column "set_by_name", drop column "running_micros", drop column "running_on"',
    ],
  },
}
