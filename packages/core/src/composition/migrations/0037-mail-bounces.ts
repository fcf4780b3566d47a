import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0037-mail-bounces',
  up: {
    sqlite: [
      'create table `sent_mails` (`id` text not null primary key, `tenant_id` text null, `address` text not null, `bounce` text null, `sent_on` datetime not null)',
      'create index `sent_mails_by_address` on `sent_mails` (`address`, `id`)',
      'create table `suppressed_addresses` (`id` text not null primary key, `address` text not null, `reason` text not null, `detail` text not null, `mail_id` text not null, `tenant_id` text null, `created_on` datetime not null)',
      'create unique index `suppressed_addresses_once` on `suppressed_addresses` (`address`)',
    ],
    postgresql: [
      'create table "sent_mails" ("id" varchar(26) not null, "tenant_id" varchar(26) null, "address" varchar(255) not null, "bounce" varchar(255) null, "sent_on" timestamptz(3) not null, primary key ("id"))',
      'create index "sent_mails_by_address" on "sent_mails" ("address", "id")',
      'create table "suppressed_addresses" ("id" varchar(26) not null, "address" varchar(255) not null, "reason" varchar(255) not null, "detail" text not null, "mail_id" varchar(26) not null, "tenant_id" varchar(26) null, "created_on" timestamptz(3) not null, primary key ("id"))',
      'alter table "suppressed_addresses" add constraint "suppressed_addresses_once" unique ("address")',
    ],
  },
  down: {
    sqlite: ['drop table if exists `sent_mails`', 'drop table if exists `suppressed_addresses`'],
    postgresql: [
      'drop table if exists "sent_mails" cascade',
      'drop table if exists "suppressed_addresses" cascade',
    ],
  },
}
