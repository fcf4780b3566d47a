import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0064-account-days',
  up: {
    sqlite: [
      'create table `account_days` (`id` text not null primary key, `tenant_id` text not null, `channel_id` text not null, `account_key` text not null, `day` text not null, `views` bigint null, `reach` bigint null, `engagements` bigint null, `new_followers` bigint null, `followers` bigint null, `website_clicks` bigint null, `calls` bigint null, `directions` bigint null, `updated_on` datetime not null)',
      'create index `account_days_by_tenant` on `account_days` (`tenant_id`, `day`, `id`)',
      'create unique index `account_days_once` on `account_days` (`channel_id`, `day`)',
    ],
    postgresql: [
      'create table "account_days" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "channel_id" varchar(26) not null, "account_key" varchar(32) not null, "day" varchar(10) not null, "views" bigint null, "reach" bigint null, "engagements" bigint null, "new_followers" bigint null, "followers" bigint null, "website_clicks" bigint null, "calls" bigint null, "directions" bigint null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "account_days_by_tenant" on "account_days" ("tenant_id", "day", "id")',
      'alter table "account_days" add constraint "account_days_once" unique ("channel_id", "day")',
    ],
  },
  down: {
    sqlite: ['drop table if exists `account_days`'],
    postgresql: ['drop table if exists "account_days" cascade'],
  },
}
