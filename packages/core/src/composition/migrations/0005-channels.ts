import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0005-channels',
  up: {
    sqlite: [
      'create table `channel_connections` (`id` text not null primary key, `tenant_id` text not null, `type` text not null, `status` text not null, `account_name` text null, `tokens_sealed` text null, `expires_at` datetime null, `renewable` integer not null, `last_checked_at` datetime null, `connected_at` datetime not null, `connected_by` text not null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create unique index `channel_connections_once` on `channel_connections` (`tenant_id`, `type`)',
      'create table `connect_attempts` (`id` text not null primary key, `tenant_id` text not null, `user_id` text not null, `platform` text not null, `state_hash` text not null, `verifier_sealed` text not null, `redirect_url` text not null, `created_on` datetime not null, `expires_at` datetime not null)',
      'create index `connect_attempts_by_expiry` on `connect_attempts` (`expires_at`)',
      'create unique index `connect_attempts_state` on `connect_attempts` (`state_hash`)',
    ],
    postgresql: [
      'create table "channel_connections" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "type" varchar(255) not null, "status" varchar(255) not null, "account_name" varchar(255) null, "tokens_sealed" text null, "expires_at" timestamptz(3) null, "renewable" boolean not null, "last_checked_at" timestamptz(3) null, "connected_at" timestamptz(3) not null, "connected_by" varchar(26) not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'alter table "channel_connections" add constraint "channel_connections_once" unique ("tenant_id", "type")',
      'create table "connect_attempts" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "user_id" varchar(26) not null, "platform" varchar(255) not null, "state_hash" varchar(64) not null, "verifier_sealed" text not null, "redirect_url" text not null, "created_on" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("id"))',
      'create index "connect_attempts_by_expiry" on "connect_attempts" ("expires_at")',
      'alter table "connect_attempts" add constraint "connect_attempts_state" unique ("state_hash")',
    ],
  },
  down: {
    sqlite: ['drop table if exists `channel_connections`', 'drop table if exists `connect_attempts`'],
    postgresql: [
      'drop table if exists "channel_connections" cascade',
      'drop table if exists "connect_attempts" cascade',
    ],
  },
}
