import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0024-calendar',
  up: {
    sqlite: ['create table `calendar_slots` (`kind` text not null primary key, `slot` datetime not null)'],
    postgresql: [
      'create table "calendar_slots" ("kind" varchar(255) not null, "slot" timestamptz(3) not null, primary key ("kind"))',
    ],
  },
  down: {
    sqlite: ['drop table if exists `calendar_slots`'],
    postgresql: ['drop table if exists "calendar_slots" cascade'],
  },
}
