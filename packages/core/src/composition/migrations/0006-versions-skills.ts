import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0006-versions-skills',
  up: {
    sqlite: [
      'create table `config_versions` (`id` text not null primary key, `tenant_id` text null, `kind` text not null, `subject_id` text not null, `version` integer not null, `data` json not null, `created_by_id` text not null, `created_by_name` text not null, `created_on` datetime not null, `note` text null)',
      'create unique index `config_versions_once` on `config_versions` (`kind`, `subject_id`, `version`)',
      'create table `skills` (`id` text not null primary key, `tenant_id` text null, `name` text not null, `description` text not null, `content` text not null, `references` json not null, `for_all_roles` integer not null, `size_bytes` integer not null, `created_by_id` text not null, `created_by_name` text not null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `skills_by_tenant` on `skills` (`tenant_id`, `id`)',
      'create unique index `skills_name` on `skills` (`tenant_id`, `name`) where tenant_id is not null',
      'create unique index `skills_global_name` on `skills` (`name`) where tenant_id is null',
      'alter table `tenant_agents` add column `own_skill_ids` json null',
    ],
    postgresql: [
      'create table "config_versions" ("id" varchar(26) not null, "tenant_id" varchar(26) null, "kind" varchar(255) not null, "subject_id" varchar(255) not null, "version" int not null, "data" jsonb not null, "created_by_id" varchar(255) not null, "created_by_name" varchar(255) not null, "created_on" timestamptz(3) not null, "note" text null, primary key ("id"))',
      'alter table "config_versions" add constraint "config_versions_once" unique ("kind", "subject_id", "version")',
      'create table "skills" ("id" varchar(26) not null, "tenant_id" varchar(26) null, "name" varchar(255) not null, "description" text not null, "content" text not null, "references" jsonb not null, "for_all_roles" boolean not null, "size_bytes" int not null, "created_by_id" varchar(255) not null, "created_by_name" varchar(255) not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "skills_by_tenant" on "skills" ("tenant_id", "id")',
      'create unique index "skills_name" on "skills" ("tenant_id", "name") where tenant_id is not null',
      'create unique index "skills_global_name" on "skills" ("name") where tenant_id is null',
      'alter table "tenant_agents" add "own_skill_ids" jsonb null',
    ],
  },
  down: {
    sqlite: [
      'drop table if exists `config_versions`',
      'drop table if exists `skills`',
      'alter table `tenant_agents` drop column `own_skill_ids`',
    ],
    postgresql: [
      'drop table if exists "config_versions" cascade',
      'drop table if exists "skills" cascade',
      'alter table "tenant_agents" drop column "own_skill_ids"',
    ],
  },
}
