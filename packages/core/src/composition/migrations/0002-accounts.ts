import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0002-accounts',
  up: {
    sqlite: [
      'create table `invitations` (`id` text not null primary key, `tenant_id` text not null, `email` text not null, `name` text not null, `role` text not null, `token_hash` text not null, `invited_by` text not null, `sent_on` datetime not null, `expires_at` datetime not null, `accepted_on` datetime null, `revoked_on` datetime null, `created_on` datetime not null)',
      'create index `invitations_by_tenant` on `invitations` (`tenant_id`, `id`)',
      'create unique index `invitations_token` on `invitations` (`token_hash`)',
      'create unique index `invitations_open` on `invitations` (`tenant_id`, `email`) where accepted_on is null and revoked_on is null',
      'create table `password_resets` (`user_id` text not null primary key, `request_id` text not null, `requested_on` datetime not null, `expires_at` datetime not null, `used_at` datetime null)',
    ],
    postgresql: [
      'create table "invitations" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "email" varchar(255) not null, "name" varchar(255) not null, "role" varchar(255) not null, "token_hash" varchar(64) not null, "invited_by" varchar(255) not null, "sent_on" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "accepted_on" timestamptz(3) null, "revoked_on" timestamptz(3) null, "created_on" timestamptz(3) not null, primary key ("id"))',
      'create index "invitations_by_tenant" on "invitations" ("tenant_id", "id")',
      'alter table "invitations" add constraint "invitations_token" unique ("token_hash")',
      'create unique index "invitations_open" on "invitations" ("tenant_id", "email") where accepted_on is null and revoked_on is null',
      'create table "password_resets" ("user_id" varchar(26) not null, "request_id" varchar(26) not null, "requested_on" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("user_id"))',
    ],
  },
  down: {
    sqlite: ['drop table if exists `invitations`', 'drop table if exists `password_resets`'],
    postgresql: [
      'drop table if exists "invitations" cascade',
      'drop table if exists "password_resets" cascade',
    ],
  },
}
