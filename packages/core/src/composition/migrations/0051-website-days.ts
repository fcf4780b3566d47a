import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0051-website-days',
  up: {
    sqlite: [
      'create table `website_days` (`id` text not null primary key, `tenant_id` text not null, `channel_id` text not null, `account_key` text not null, `day` text not null, `publication_id` text not null, `views` bigint null, `sessions` bigint null, `visitors` bigint null, `key_events` bigint null, `search_impressions` bigint null, `search_clicks` bigint null, `search_place_milli` bigint null, `updated_on` datetime not null)',
      'create index `website_days_by_tenant` on `website_days` (`tenant_id`, `day`, `id`)',
      'create index `website_days_by_publication` on `website_days` (`publication_id`, `day`)',
      'create unique index `website_days_once` on `website_days` (`channel_id`, `day`, `publication_id`)',
    ],
    postgresql: [
      'create table "website_days" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "channel_id" varchar(26) not null, "account_key" varchar(32) not null, "day" varchar(10) not null, "publication_id" varchar(26) not null, "views" bigint null, "sessions" bigint null, "visitors" bigint null, "key_events" bigint null, "search_impressions" bigint null, "search_clicks" bigint null, "search_place_milli" bigint null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "website_days_by_tenant" on "website_days" ("tenant_id", "day", "id")',
      'create index "website_days_by_publication" on "website_days" ("publication_id", "day")',
      'alter table "website_days" add constraint "website_days_once" unique ("channel_id", "day", "publication_id")',
    ],
  },
  down: {
    sqlite: ['drop table if exists `website_days`'],
    postgresql: ['drop table if exists "website_days" cascade'],
  },
}
