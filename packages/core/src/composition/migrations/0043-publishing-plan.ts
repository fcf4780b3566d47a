import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0043-publishing-plan',
  up: {
    sqlite: [
      'create table `publishing_slots` (`tenant_id` text not null primary key, `days` json not null, `times` json not null, `updated_on` datetime not null)',
      'alter table `publications` add column `account_key` text null',
      'drop index `publications_by_slot`',
      "create index `publications_ahead` on `publications` (`tenant_id`, `scheduled_for`, `id`) where published_at is null and status <> 'cancelled'",
      "create index `publications_out` on `publications` (`tenant_id`, `published_at`, `id`) where status = 'published'",
      'create index `publications_slots` on `publications` (`channel_id`, `scheduled_for`) where published_at is null',
      'create index `content_requests_by_time` on `content_requests` (`tenant_id`, `schedule_for`, `id`) where schedule_for is not null',
    ],
    postgresql: [
      'create table "publishing_slots" ("tenant_id" varchar(26) not null, "days" jsonb not null, "times" jsonb not null, "updated_on" timestamptz(3) not null, primary key ("tenant_id"))',
      'alter table "publications" add "account_key" varchar(255) null',
      'drop index "publications_by_slot"',
      'create index "publications_ahead" on "publications" ("tenant_id", "scheduled_for", "id") where published_at is null and status <> \'cancelled\'',
      'create index "publications_out" on "publications" ("tenant_id", "published_at", "id") where status = \'published\'',
      'create index "publications_slots" on "publications" ("channel_id", "scheduled_for") where published_at is null',
      'create index "content_requests_by_time" on "content_requests" ("tenant_id", "schedule_for", "id") where schedule_for is not null',
    ],
  },
  down: {
    sqlite: [
      'drop index `content_requests_by_time`',
      'drop index `publications_slots`',
      'drop index `publications_out`',
      'drop index `publications_ahead`',
      'create index `publications_by_slot` on `publications` (`tenant_id`, `scheduled_for`)',
      'alter table `publications` drop column `account_key`',
      'drop table if exists `publishing_slots`',
    ],
    postgresql: [
      'drop index "content_requests_by_time"',
      'drop index "publications_slots"',
      'drop index "publications_out"',
      'drop index "publications_ahead"',
      'create index "publications_by_slot" on "publications" ("tenant_id", "scheduled_for")',
      'alter table "publications" drop column "account_key"',
      'drop table if exists "publishing_slots" cascade',
    ],
  },
}
