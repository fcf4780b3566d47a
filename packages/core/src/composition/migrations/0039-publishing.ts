import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0039-publishing',
  up: {
    sqlite: [
      'create table `publications` (`id` text not null primary key, `tenant_id` text not null, `activity_id` text not null, `title` text not null, `output_id` text not null, `content_hash` text not null, `channel_id` text not null, `channel_type` text not null, `status` text not null, `hold_reason` text null, `scheduled_for` datetime not null, `next_at` datetime null, `attempt` integer not null, `lease_until` datetime null, `touched` integer not null, `progress` json not null, `failures` integer not null, `checks` integer not null, `asked` integer not null, `error_kind` text null, `error` text null, `external_id` text null, `url` text null, `published_at` datetime null, `requested_by_id` text not null, `requested_by_name` text not null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `publications_by_tenant` on `publications` (`tenant_id`, `id`)',
      'create index `publications_by_status` on `publications` (`tenant_id`, `status`, `id`)',
      'create index `publications_by_channel` on `publications` (`channel_id`, `status`, `published_at`)',
      'create index `publications_by_slot` on `publications` (`tenant_id`, `scheduled_for`)',
      'create index `publications_due` on `publications` (`next_at`) where next_at is not null',
      "create unique index `publications_once` on `publications` (`activity_id`, `channel_id`) where status <> 'cancelled' and status <> 'removed'",
      "alter table `channel_connections` add column `auth` text not null default 'oauth'",
      'alter table `channel_connections` add column `account` json null',
      'alter table `channel_connections` add column `limits` json null',
      'alter table `channel_connections` add column `waits_until` datetime null',
      'alter table `channel_connections` add column `refreshing_by` text null',
      'alter table `channel_connections` add column `refreshing_until` datetime null',
      'alter table `connect_attempts` add column `server` text null',
    ],
    postgresql: [
      'create table "publications" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "activity_id" varchar(26) not null, "title" varchar(255) not null, "output_id" varchar(26) not null, "content_hash" varchar(64) not null, "channel_id" varchar(26) not null, "channel_type" varchar(255) not null, "status" varchar(255) not null, "hold_reason" varchar(255) null, "scheduled_for" timestamptz(3) not null, "next_at" timestamptz(3) null, "attempt" int not null, "lease_until" timestamptz(3) null, "touched" boolean not null, "progress" jsonb not null, "failures" int not null, "checks" int not null, "asked" boolean not null, "error_kind" varchar(255) null, "error" text null, "external_id" text null, "url" text null, "published_at" timestamptz(3) null, "requested_by_id" varchar(255) not null, "requested_by_name" varchar(255) not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "publications_by_tenant" on "publications" ("tenant_id", "id")',
      'create index "publications_by_status" on "publications" ("tenant_id", "status", "id")',
      'create index "publications_by_channel" on "publications" ("channel_id", "status", "published_at")',
      'create index "publications_by_slot" on "publications" ("tenant_id", "scheduled_for")',
      'create index "publications_due" on "publications" ("next_at") where next_at is not null',
      'create unique index "publications_once" on "publications" ("activity_id", "channel_id") where status <> \'cancelled\' and status <> \'removed\'',
      'alter table "channel_connections" add "auth" varchar(255) not null default \'oauth\', add "account" jsonb null, add "limits" jsonb null, add "waits_until" timestamptz(3) null, add "refreshing_by" varchar(26) null, add "refreshing_until" timestamptz(3) null',
      'alter table "connect_attempts" add "server" text null',
    ],
  },
  down: {
    sqlite: [
      'drop table if exists `publications`',
      'alter table `channel_connections` drop column `auth`',
      'alter table `channel_connections` drop column `account`',
      'alter table `channel_connections` drop column `limits`',
      'alter table `channel_connections` drop column `waits_until`',
      'alter table `channel_connections` drop column `refreshing_by`',
      'alter table `channel_connections` drop column `refreshing_until`',
      'alter table `connect_attempts` drop column `server`',
    ],
    postgresql: [
      'drop table if exists "publications" cascade',
      'alter table "channel_connections" drop column "auth", drop column "account", drop column "limits", drop column "waits_until", drop column "refreshing_by", drop column "refreshing_until"',
      'alter table "connect_attempts" drop column "server"',
    ],
  },
}
