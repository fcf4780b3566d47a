import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0066-outside-changes',
  up: {
    sqlite: [
      'create table `ad_outside_changes` (`id` text not null primary key, `tenant_id` text not null, `campaign_id` text not null, `mapping_id` text not null, `external_key` text not null, `at` datetime not null, `who` text null, `via` text null, `currency` text not null, `changes` json not null, `seen_on` datetime not null)',
      'create index `ad_outside_changes_by_tenant` on `ad_outside_changes` (`tenant_id`, `id`)',
      'create index `ad_outside_changes_by_campaign` on `ad_outside_changes` (`campaign_id`, `at`)',
      'create unique index `ad_outside_changes_once` on `ad_outside_changes` (`mapping_id`, `external_key`)',
      'alter table `campaign_mappings` add column `outside_synced_at` datetime null',
    ],
    postgresql: [
      'create table "ad_outside_changes" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "campaign_id" varchar(26) not null, "mapping_id" varchar(26) not null, "external_key" varchar(300) not null, "at" timestamptz(3) not null, "who" varchar(255) null, "via" varchar(255) null, "currency" varchar(3) not null, "changes" jsonb not null, "seen_on" timestamptz(3) not null, primary key ("id"))',
      'create index "ad_outside_changes_by_tenant" on "ad_outside_changes" ("tenant_id", "id")',
      'create index "ad_outside_changes_by_campaign" on "ad_outside_changes" ("campaign_id", "at")',
      'alter table "ad_outside_changes" add constraint "ad_outside_changes_once" unique ("mapping_id", "external_key")',
      'alter table "campaign_mappings" add "outside_synced_at" timestamptz(3) null',
    ],
  },
  down: {
    sqlite: [
      'drop table if exists `ad_outside_changes`',
      'alter table `campaign_mappings` drop column `outside_synced_at`',
    ],
    postgresql: [
      'drop table if exists "ad_outside_changes" cascade',
      'alter table "campaign_mappings" drop column "outside_synced_at"',
    ],
  },
}
