import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0023-consents',
  up: {
    sqlite: [
      'create table `consents` (`id` text not null primary key, `user_id` text not null, `key_id` text null, `assistant` text not null, `operation` text not null, `line` text not null, `touches` text not null, `act_hash` text not null, `agreed` integer null, `answered_how` text null, `answered_on` datetime null, `used_on` datetime null, `expires_at` datetime not null, `created_on` datetime not null)',
      'create index `consents_by_user` on `consents` (`user_id`, `id`)',
      'create index `consents_by_expiry` on `consents` (`expires_at`)',
      'alter table `audit_records` add column `consent` json null',
    ],
    postgresql: [
      'create table "consents" ("id" varchar(26) not null, "user_id" varchar(26) not null, "key_id" varchar(26) null, "assistant" varchar(255) not null, "operation" varchar(255) not null, "line" text not null, "touches" text not null, "act_hash" varchar(64) not null, "agreed" boolean null, "answered_how" varchar(255) null, "answered_on" timestamptz(3) null, "used_on" timestamptz(3) null, "expires_at" timestamptz(3) not null, "created_on" timestamptz(3) not null, primary key ("id"))',
      'create index "consents_by_user" on "consents" ("user_id", "id")',
      'create index "consents_by_expiry" on "consents" ("expires_at")',
      'alter table "audit_records" add "consent" jsonb null',
    ],
  },
  down: {
    sqlite: ['drop table if exists `consents`', 'alter table `audit_records` drop column `consent`'],
    postgresql: [
      'drop table if exists "consents" cascade',
      'alter table "audit_records" drop column "consent"',
    ],
  },
}
