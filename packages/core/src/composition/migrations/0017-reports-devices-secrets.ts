import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0017-reports-devices-secrets',
  up: {
    sqlite: [
      'alter table `reports` add column `failure_reason` text null',
      "create index `reports_being_written` on `reports` (`id`) where status = 'generating'",
      "update `job` set `unique_key` = 'report.write:' || (`payload` ->> '$.reportId') where `kind` = 'report.write' and `unique_key` is null",
      'alter table `push_devices` add column `session_id` text null',
      'alter table `webhooks` add column `previous_secret_sealed` text null',
      'alter table `webhooks` add column `previous_until` datetime null',
    ],
    postgresql: [
      'alter table "reports" add column "failure_reason" text null',
      'create index "reports_being_written" on "reports" ("id") where status = \'generating\'',
      `update "job" set "unique_key" = 'report.write:' || ("payload" ->> 'reportId') where "kind" = 'report.write' and "unique_key" is null`,
      'alter table "push_devices" add column "session_id" varchar(26) null',
      'alter table "webhooks" add column "previous_secret_sealed" text null',
      'alter table "webhooks" add column "previous_until" timestamptz(3) null',
    ],
  },
  down: {
    sqlite: [
      'drop index `reports_being_written`',
      'alter table `reports` drop column `failure_reason`',
      'alter table `push_devices` drop column `session_id`',
      'alter table `webhooks` drop column `previous_secret_sealed`',
      'alter table `webhooks` drop column `previous_until`',
    ],
    postgresql: [
      'drop index "reports_being_written"',
      'alter table "reports" drop column "failure_reason"',
      'alter table "push_devices" drop column "session_id"',
      'alter table "webhooks" drop column "previous_secret_sealed"',
      'alter table "webhooks" drop column "previous_until"',
    ],
  },
}
