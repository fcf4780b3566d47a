import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0014-tenant',
  up: {
    sqlite: [
      'create table `brand_profiles` (`tenant_id` text not null primary key, `brand` json not null, `version` integer not null, `updated_on` datetime not null)',
      'create table `goals` (`id` text not null primary key, `tenant_id` text not null, `title` text not null, `metric` text not null, `target_micros` bigint not null, `period_start` text not null, `period_end` text not null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `goals_by_tenant` on `goals` (`tenant_id`, `id`)',
      'create table `strategies` (`tenant_id` text not null primary key, `content` text not null, `version` integer not null, `updated_on` datetime not null)',
      'create table `strategy_drafts` (`activity_id` text not null primary key, `tenant_id` text not null)',
      'create index `strategy_drafts_by_tenant` on `strategy_drafts` (`tenant_id`, `activity_id`)',
      'create index `activities_finished` on `activities` (`tenant_id`, `completed_at`) where `is_final_step` = true',
      'alter table `outputs` add column `checks` json null',
    ],
    postgresql: [
      'create table "brand_profiles" ("tenant_id" varchar(26) not null, "brand" jsonb not null, "version" int not null, "updated_on" timestamptz(3) not null, primary key ("tenant_id"))',
      'create table "goals" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "title" varchar(255) not null, "metric" varchar(255) not null, "target_micros" bigint not null, "period_start" varchar(10) not null, "period_end" varchar(10) not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "goals_by_tenant" on "goals" ("tenant_id", "id")',
      'create table "strategies" ("tenant_id" varchar(26) not null, "content" text not null, "version" int not null, "updated_on" timestamptz(3) not null, primary key ("tenant_id"))',
      'create table "strategy_drafts" ("activity_id" varchar(26) not null, "tenant_id" varchar(26) not null, primary key ("activity_id"))',
      'create index "strategy_drafts_by_tenant" on "strategy_drafts" ("tenant_id", "activity_id")',
      'create index "activities_finished" on "activities" ("tenant_id", "completed_at") where "is_final_step" = true',
      'alter table "outputs" add "checks" jsonb null',
    ],
  },
  down: {
    sqlite: [
      'drop table if exists `brand_profiles`',
      'drop table if exists `goals`',
      'drop table if exists `strategies`',
      'drop table if exists `strategy_drafts`',
      'drop index `activities_finished`',
      'alter table `outputs` drop column `checks`',
    ],
    postgresql: [
      'drop table if exists "brand_profiles" cascade',
      'drop table if exists "goals" cascade',
      'drop table if exists "strategies" cascade',
      'drop table if exists "strategy_drafts" cascade',
      'drop index "activities_finished"',
      'alter table "outputs" drop column "checks"',
    ],
  },
}
