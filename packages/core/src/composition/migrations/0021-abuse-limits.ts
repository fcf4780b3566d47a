import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0021-abuse-limits',
  up: {
    sqlite: [
      // Plain hashes of bodies, some with passwords in them, are not kept another day; a request that comes again is refused.
      "update idempotency_records set body_hash = ''",
      'create table `known_logins` (`user_id` text not null, `network` text not null, `used_on` datetime not null, primary key (`user_id`, `network`))',
      'create index `known_logins_by_age` on `known_logins` (`used_on`)',
      'create table `outside_mail_counts` (`day` text not null, `scope` text not null, `mails` integer not null, primary key (`day`, `scope`))',
      "create index `event_access` on `event` (`at`) where type in ('access_revoked', 'access_restored')",
    ],
    postgresql: [
      "update idempotency_records set body_hash = ''",
      'create table "known_logins" ("user_id" varchar(26) not null, "network" varchar(255) not null, "used_on" timestamptz(3) not null, primary key ("user_id", "network"))',
      'create index "known_logins_by_age" on "known_logins" ("used_on")',
      'create table "outside_mail_counts" ("day" varchar(10) not null, "scope" varchar(26) not null, "mails" int not null, primary key ("day", "scope"))',
      'create index "event_access" on "event" ("at") where type in (\'access_revoked\', \'access_restored\')',
      'alter table "idempotency_records" alter column "body_hash" type varchar(255) using ("body_hash"::varchar(255))',
    ],
  },
  down: {
    sqlite: [
      'drop table if exists `known_logins`',
      'drop table if exists `outside_mail_counts`',
      'drop index `event_access`',
      "update idempotency_records set body_hash = ''",
    ],
    postgresql: [
      'drop table if exists "known_logins" cascade',
      'drop table if exists "outside_mail_counts" cascade',
      'drop index "event_access"',
      "update idempotency_records set body_hash = ''",
      'alter table "idempotency_records" alter column "body_hash" type varchar(64) using ("body_hash"::varchar(64))',
    ],
  },
}
