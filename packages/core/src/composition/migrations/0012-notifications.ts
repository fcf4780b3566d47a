import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0012-notifications',
  up: {
    sqlite: [
      'create table `notification_preferences` (`user_id` text not null primary key, `tenant_id` text not null, `ways` json not null, `quiet_from` text null, `quiet_to` text null, `timezone` text null, `updated_on` datetime not null)',
      'create table `push_devices` (`id` text not null primary key, `tenant_id` text not null, `user_id` text not null, `device_id` text not null, `platform` text not null, `push_token` text not null, `token_hash` text not null, `app_version` text not null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `push_devices_by_user` on `push_devices` (`user_id`)',
      'create unique index `push_devices_device` on `push_devices` (`device_id`)',
      'create unique index `push_devices_token` on `push_devices` (`token_hash`)',
      'create table `push_intents` (`notification_id` text not null, `push_device_id` text not null, `tenant_id` text not null, `state` text not null, `at` datetime not null, primary key (`notification_id`, `push_device_id`))',
      'alter table `notifications` add column `inbox` integer not null default true',
      'alter table `notifications` add column `urgent` integer not null default false',
      'create index `notifications_by_read` on `notifications` (`user_id`, `inbox`, `read`, `id`)',
    ],
    postgresql: [
      'create table "notification_preferences" ("user_id" varchar(26) not null, "tenant_id" varchar(26) not null, "ways" jsonb not null, "quiet_from" varchar(5) null, "quiet_to" varchar(5) null, "timezone" varchar(255) null, "updated_on" timestamptz(3) not null, primary key ("user_id"))',
      'create table "push_devices" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "user_id" varchar(26) not null, "device_id" varchar(36) not null, "platform" varchar(255) not null, "push_token" text not null, "token_hash" varchar(64) not null, "app_version" varchar(255) not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "push_devices_by_user" on "push_devices" ("user_id")',
      'alter table "push_devices" add constraint "push_devices_device" unique ("device_id")',
      'alter table "push_devices" add constraint "push_devices_token" unique ("token_hash")',
      'create table "push_intents" ("notification_id" varchar(26) not null, "push_device_id" varchar(26) not null, "tenant_id" varchar(26) not null, "state" varchar(255) not null, "at" timestamptz(3) not null, primary key ("notification_id", "push_device_id"))',
      'alter table "notifications" add "inbox" boolean not null default true, add "urgent" boolean not null default false',
      'create index "notifications_by_read" on "notifications" ("user_id", "inbox", "read", "id")',
    ],
  },
  down: {
    sqlite: [
      'drop table if exists `notification_preferences`',
      'drop table if exists `push_devices`',
      'drop table if exists `push_intents`',
      'drop index `notifications_by_read`',
      'alter table `notifications` drop column `inbox`',
      'alter table `notifications` drop column `urgent`',
    ],
    postgresql: [
      'drop table if exists "notification_preferences" cascade',
      'drop table if exists "push_devices" cascade',
      'drop table if exists "push_intents" cascade',
      'drop index "notifications_by_read"',
      'alter table "notifications" drop column "inbox", drop column "urgent"',
    ],
  },
}
