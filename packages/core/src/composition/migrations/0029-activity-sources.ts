import type { MigrationScript } from '../../platform/database/migrate.ts'

/** Agents that are here already may search the client's documents as new ones may. */
const withoutSearch = `where cast(default_tools as text) not like '%"knowledge_search"%'`

export const migration: MigrationScript = {
  name: '0029-activity-sources',
  up: {
    sqlite: [
      'create table `activity_sources` (`id` text not null primary key, `tenant_id` text not null, `activity_id` text not null, `run_id` text not null, `n` integer not null, `kind` text not null, `title` text not null, `text` text not null, `sha256` text not null, `chunk_id` text null, `file_id` text null, `dataset_id` text null, `heading` text null, `page` integer null, `url` text null, `created_on` datetime not null)',
      'create unique index `activity_sources_number` on `activity_sources` (`activity_id`, `n`)',
      'create unique index `activity_sources_text` on `activity_sources` (`activity_id`, `sha256`)',
      `update master_agents set default_tools = json_insert(default_tools, '$[#]', 'knowledge_search') ${withoutSearch}`,
    ],
    postgresql: [
      'create table "activity_sources" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "activity_id" varchar(26) not null, "run_id" varchar(26) not null, "n" int not null, "kind" varchar(255) not null, "title" text not null, "text" text not null, "sha256" varchar(64) not null, "chunk_id" varchar(26) null, "file_id" varchar(26) null, "dataset_id" varchar(26) null, "heading" text null, "page" int null, "url" text null, "created_on" timestamptz(3) not null, primary key ("id"))',
      'alter table "activity_sources" add constraint "activity_sources_number" unique ("activity_id", "n")',
      'alter table "activity_sources" add constraint "activity_sources_text" unique ("activity_id", "sha256")',
      `update master_agents set default_tools = default_tools || '["knowledge_search"]'::jsonb ${withoutSearch}`,
    ],
  },
  down: {
    sqlite: ['drop table `activity_sources`'],
    postgresql: ['drop table "activity_sources"'],
  },
}
