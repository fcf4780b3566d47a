import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0049-outreach-mails',
  up: {
    sqlite: [
      'create table `outreach_mails` (`id` text not null primary key, `tenant_id` text not null, `campaign_id` text not null, `activity_id` text not null, `recipient` text not null, `address` text not null, `subject` text not null, `body` text not null, `content_hash` text not null, `status` text not null, `attempts` integer not null, `until` datetime null, `error` text null, `sent_by_id` text null, `reply_to` text null, `link_key` text not null, `created_on` datetime not null, `at` datetime not null)',
      'create index `outreach_mails_by_campaign` on `outreach_mails` (`campaign_id`, `status`, `id`)',
      'create index `outreach_mails_by_activity` on `outreach_mails` (`activity_id`, `status`)',
      'create index `outreach_mails_by_tenant` on `outreach_mails` (`tenant_id`, `id`)',
      'create index `outreach_mails_open` on `outreach_mails` (`until`) where until is not null',
      'create unique index `outreach_mails_once` on `outreach_mails` (`campaign_id`, `address`)',
      'create unique index `outreach_mails_link` on `outreach_mails` (`link_key`)',
    ],
    postgresql: [
      'create table "outreach_mails" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "campaign_id" varchar(26) not null, "activity_id" varchar(26) not null, "recipient" varchar(255) not null, "address" varchar(255) not null, "subject" varchar(255) not null, "body" text not null, "content_hash" varchar(64) not null, "status" varchar(255) not null, "attempts" int not null, "until" timestamptz(3) null, "error" text null, "sent_by_id" varchar(255) null, "reply_to" varchar(255) null, "link_key" varchar(32) not null, "created_on" timestamptz(3) not null, "at" timestamptz(3) not null, primary key ("id"))',
      'create index "outreach_mails_by_campaign" on "outreach_mails" ("campaign_id", "status", "id")',
      'create index "outreach_mails_by_activity" on "outreach_mails" ("activity_id", "status")',
      'create index "outreach_mails_by_tenant" on "outreach_mails" ("tenant_id", "id")',
      'create index "outreach_mails_open" on "outreach_mails" ("until") where until is not null',
      'alter table "outreach_mails" add constraint "outreach_mails_once" unique ("campaign_id", "address")',
      'alter table "outreach_mails" add constraint "outreach_mails_link" unique ("link_key")',
    ],
  },
  down: {
    sqlite: ['drop table if exists `outreach_mails`'],
    postgresql: ['drop table if exists "outreach_mails" cascade'],
  },
}
