import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0014-tenant',
  up: {
    sqlite: [
      'create table `brand_profiles` (`tenant_id` text not null primary key, `brand` json not null, `version` integer not null, `updated_on` datetime not null)',
      'alter table `outputs` add column `checks` json null',
    ],
    postgresql: [
      'create table "brand_profiles" ("tenant_id" varchar(26) not null, "brand" jsonb not null, "version" int not null, "updated_on" timestamptz(3) not null, primary key ("tenant_id"))',
      'alter table "outputs" add "checks" jsonb null',
    ],
  },
  down: {
    sqlite: ['drop table if exists `brand_profiles`', 'alter table `outputs` drop column `checks`'],
    postgresql: [
      'drop table if exists "brand_profiles" cascade',
      'alter table "outputs" drop column "checks"',
    ],
  },
}
