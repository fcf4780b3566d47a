import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0058-publication-changes',
  up: {
    sqlite: [
      'alter table `publications` add column `changed_at` datetime null',
      'alter table `publications` add column `change_output_id` text null',
      'alter table `publications` add column `change_hash` text null',
      'alter table `publications` add column `change_status` text null',
      'alter table `publications` add column `change_hold_reason` text null',
      'alter table `publications` add column `change_next_at` datetime null',
      'alter table `publications` add column `change_failures` integer not null default 0',
      'alter table `publications` add column `change_error_kind` text null',
      'alter table `publications` add column `change_error` text null',
      'create index `publications_changes_due` on `publications` (`change_next_at`) where change_next_at is not null',
      'create index `publications_changes_held` on `publications` (`channel_id`, `id`) where change_hold_reason is not null',
    ],
    postgresql: [
      'alter table "publications" add "changed_at" timestamptz(3) null, add "change_output_id" varchar(26) null, add "change_hash" varchar(64) null, add "change_status" varchar(255) null, add "change_hold_reason" varchar(255) null, add "change_next_at" timestamptz(3) null, add "change_failures" int not null default 0, add "change_error_kind" varchar(255) null, add "change_error" text null',
      'create index "publications_changes_due" on "publications" ("change_next_at") where change_next_at is not null',
      'create index "publications_changes_held" on "publications" ("channel_id", "id") where change_hold_reason is not null',
    ],
  },
  down: {
    sqlite: [
      'drop index `publications_changes_held`',
      'drop index `publications_changes_due`',
      'alter table `publications` drop column `changed_at`',
      'alter table `publications` drop column `change_output_id`',
      'alter table `publications` drop column `change_hash`',
      'alter table `publications` drop column `change_status`',
      'alter table `publications` drop column `change_hold_reason`',
      'alter table `publications` drop column `change_next_at`',
      'alter table `publications` drop column `change_failures`',
      'alter table `publications` drop column `change_error_kind`',
      'alter table `publications` drop column `change_error`',
    ],
    postgresql: [
      'drop index "publications_changes_held"',
      'drop index "publications_changes_due"',
      'alter table "publications" drop column "changed_at", drop column "change_output_id", drop column "change_hash", drop column "change_status", drop column "change_hold_reason", drop column "change_next_at", drop column "change_failures", drop column "change_error_kind", drop column "change_error"',
    ],
  },
}
