import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0054-link-tags',
  up: {
    sqlite: [
      'create table `link_tagging` (`tenant_id` text not null primary key, `hosts` json not null, `updated_on` datetime not null)',
      'alter table `publications` add column `link_tags` json null',
    ],
    postgresql: [
      'create table "link_tagging" ("tenant_id" varchar(26) not null, "hosts" jsonb not null, "updated_on" timestamptz(3) not null, primary key ("tenant_id"))',
      'alter table "publications" add "link_tags" jsonb null',
    ],
  },
  down: {
    sqlite: ['drop table if exists `link_tagging`', 'alter table `publications` drop column `link_tags`'],
    postgresql: [
      'drop table if exists "link_tagging" cascade',
      'alter table "publications" drop column "link_tags"',
    ],
  },
}
