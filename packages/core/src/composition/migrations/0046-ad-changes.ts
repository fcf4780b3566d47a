import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0046-ad-changes',
  up: {
    sqlite: [
      'create table `ad_change_sets` (`id` text not null primary key, `tenant_id` text not null, `campaign_id` text not null, `mapping_id` text not null, `account_id` text not null, `currency` text not null, `title` text not null, `source` text not null, `status` text not null, `digest` text not null, `items` json not null, `undo_of_id` text null, `attempt` integer not null, `lease_until` datetime null, `next_at` datetime null, `touched` integer not null, `failures` integer not null, `error` text null, `requested_by_id` text not null, `requested_by_name` text not null, `approved_by_id` text null, `approved_by_name` text null, `approved_on` datetime null, `applied_on` datetime null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `ad_change_sets_by_campaign` on `ad_change_sets` (`campaign_id`, `id`)',
      'create index `ad_change_sets_by_tenant` on `ad_change_sets` (`tenant_id`, `id`)',
      'create index `ad_change_sets_due` on `ad_change_sets` (`next_at`) where next_at is not null',
      'create index `ad_change_sets_by_account` on `ad_change_sets` (`tenant_id`, `account_id`, `status`)',
      'create table `ad_limits` (`id` text not null primary key, `tenant_id` text not null, `account_id` text not null, `currency` text not null, `daily_cap_micros` bigint not null, `proposed_on` text not null, `updated_on` datetime not null)',
      'create unique index `ad_limits_once` on `ad_limits` (`tenant_id`, `account_id`)',
      'create table `campaign_recommendations` (`id` text not null primary key, `tenant_id` text not null, `campaign_id` text not null, `platform` text not null, `kind` text not null, `subject` text not null, `title` text not null, `rationale` text not null, `suggested_action` text not null, `estimated_impact` text not null, `changes` json not null, `priority` text not null, `rank` integer not null, `status` text not null, `dm_note` text null, `client_note` text null, `change_set_id` text null, `applied_at` datetime null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `campaign_recommendations_by_campaign` on `campaign_recommendations` (`campaign_id`, `rank`, `id`)',
      'create index `campaign_recommendations_by_tenant` on `campaign_recommendations` (`tenant_id`, `id`)',
    ],
    postgresql: [
      'create table "ad_change_sets" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "campaign_id" varchar(26) not null, "mapping_id" varchar(26) not null, "account_id" varchar(255) not null, "currency" varchar(3) not null, "title" varchar(255) not null, "source" varchar(255) not null, "status" varchar(255) not null, "digest" varchar(64) not null, "items" jsonb not null, "undo_of_id" varchar(26) null, "attempt" int not null, "lease_until" timestamptz(3) null, "next_at" timestamptz(3) null, "touched" boolean not null, "failures" int not null, "error" text null, "requested_by_id" varchar(255) not null, "requested_by_name" varchar(255) not null, "approved_by_id" varchar(255) null, "approved_by_name" varchar(255) null, "approved_on" timestamptz(3) null, "applied_on" timestamptz(3) null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "ad_change_sets_by_campaign" on "ad_change_sets" ("campaign_id", "id")',
      'create index "ad_change_sets_by_tenant" on "ad_change_sets" ("tenant_id", "id")',
      'create index "ad_change_sets_due" on "ad_change_sets" ("next_at") where next_at is not null',
      'create index "ad_change_sets_by_account" on "ad_change_sets" ("tenant_id", "account_id", "status")',
      'create table "ad_limits" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "account_id" varchar(255) not null, "currency" varchar(3) not null, "daily_cap_micros" bigint not null, "proposed_on" varchar(10) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'alter table "ad_limits" add constraint "ad_limits_once" unique ("tenant_id", "account_id")',
      'create table "campaign_recommendations" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "campaign_id" varchar(26) not null, "platform" varchar(255) not null, "kind" varchar(255) not null, "subject" varchar(255) not null, "title" varchar(255) not null, "rationale" text not null, "suggested_action" text not null, "estimated_impact" text not null, "changes" jsonb not null, "priority" varchar(255) not null, "rank" int not null, "status" varchar(255) not null, "dm_note" text null, "client_note" text null, "change_set_id" varchar(26) null, "applied_at" timestamptz(3) null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "campaign_recommendations_by_campaign" on "campaign_recommendations" ("campaign_id", "rank", "id")',
      'create index "campaign_recommendations_by_tenant" on "campaign_recommendations" ("tenant_id", "id")',
    ],
  },
  down: {
    sqlite: [
      'drop table if exists `ad_change_sets`',
      'drop table if exists `ad_limits`',
      'drop table if exists `campaign_recommendations`',
    ],
    postgresql: [
      'drop table if exists "ad_change_sets" cascade',
      'drop table if exists "ad_limits" cascade',
      'drop table if exists "campaign_recommendations" cascade',
    ],
  },
}
