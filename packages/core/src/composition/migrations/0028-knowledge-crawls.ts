import type { MigrationScript } from '../../platform/database/migrate.ts'

/** What tenants that are here already are given, as new ones are (`provisionDatasets`). */
const datasets = `select 'client-documents' as slug, 'Client documents' as name, 'What the company has given: brand, products, prices, guidelines, and the pieces that were approved.' as description
  union all select 'website-content', 'Website', 'The pages of the company’s own website.'
  union all select 'competitor-research', 'Competitor research', 'What others in the market say and offer.'`

/** @param id makes a ULID of the tenant's time */
const provision = (id: string) => `insert into datasets
  (id, tenant_id, slug, name, description, chunk_size, chunk_overlap, parse_type, parser_engine, allowed_agent_roles, created_on, updated_on)
  select ${id}, t.id, d.slug, d.name, d.description, 512, 64, 'MARKDOWN', 'NATIVE', null, t.created_on, t.created_on
  from tenants t cross join (${datasets}) d`

export const migration: MigrationScript = {
  name: '0028-knowledge-crawls',
  up: {
    sqlite: [
      'create table `crawls` (`id` text not null primary key, `tenant_id` text not null, `dataset_id` text not null, `start_url` text not null, `max_pages` integer not null, `max_depth` integer not null, `url_path_filter` text null, `status` text not null, `pages_crawled` integer not null, `pages_indexed` integer not null, `pages_failed` integer not null, `error_message` text null, `state` json null, `completed_at` datetime null, `created_on` datetime not null)',
      'create index `crawls_by_dataset` on `crawls` (`dataset_id`, `id`)',
      'create table `crawled_pages` (`id` text not null primary key, `tenant_id` text not null, `dataset_id` text not null, `url` text not null, `url_hash` text not null, `depth` integer not null, `outcome` text not null, `reason` text null, `etag` text null, `last_modified` text null, `hash` text null, `file_id` text null, `missed` integer not null, `crawl_id` text not null, `updated_on` datetime not null)',
      'create unique index `crawled_pages_url` on `crawled_pages` (`dataset_id`, `url_hash`)',
      'create table `crawl_plans` (`dataset_id` text not null primary key, `tenant_id` text not null, `start_url` text not null, `max_pages` integer not null, `max_depth` integer not null, `url_path_filter` text null, `schedule` text not null, `next_on` datetime null, `updated_on` datetime not null)',
      'create index `crawl_plans_due` on `crawl_plans` (`next_on`)',
      'create index `knowledge_files_size` on `knowledge_files` (`tenant_id`, `file_size_bytes`)',
      "create index `knowledge_files_at_work` on `knowledge_files` (`status`, `id`) where status in ('pending', 'parsing', 'embedding')",
      provision('substr(t.id, 1, 10) || hex(randomblob(8))'),
    ],
    postgresql: [
      'create table "crawls" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "dataset_id" varchar(26) not null, "start_url" text not null, "max_pages" int not null, "max_depth" int not null, "url_path_filter" text null, "status" varchar(255) not null, "pages_crawled" int not null, "pages_indexed" int not null, "pages_failed" int not null, "error_message" text null, "state" jsonb null, "completed_at" timestamptz(3) null, "created_on" timestamptz(3) not null, primary key ("id"))',
      'create index "crawls_by_dataset" on "crawls" ("dataset_id", "id")',
      'create table "crawled_pages" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "dataset_id" varchar(26) not null, "url" text not null, "url_hash" varchar(64) not null, "depth" int not null, "outcome" varchar(255) not null, "reason" text null, "etag" text null, "last_modified" text null, "hash" varchar(255) null, "file_id" varchar(26) null, "missed" int not null, "crawl_id" varchar(26) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'alter table "crawled_pages" add constraint "crawled_pages_url" unique ("dataset_id", "url_hash")',
      'create table "crawl_plans" ("dataset_id" varchar(26) not null, "tenant_id" varchar(26) not null, "start_url" text not null, "max_pages" int not null, "max_depth" int not null, "url_path_filter" text null, "schedule" varchar(255) not null, "next_on" timestamptz(3) null, "updated_on" timestamptz(3) not null, primary key ("dataset_id"))',
      'create index "crawl_plans_due" on "crawl_plans" ("next_on")',
      'create index "knowledge_files_size" on "knowledge_files" ("tenant_id", "file_size_bytes")',
      'create index "knowledge_files_at_work" on "knowledge_files" ("status", "id") where status in (\'pending\', \'parsing\', \'embedding\')',
      provision('substr(t.id, 1, 10) || substr(upper(md5(t.id || d.slug)), 1, 16)'),
    ],
  },
  down: {
    sqlite: [
      'drop table `crawls`',
      'drop table `crawled_pages`',
      'drop table `crawl_plans`',
      'drop index `knowledge_files_size`',
      'drop index `knowledge_files_at_work`',
      'delete from `datasets`',
    ],
    postgresql: [
      'drop table "crawls"',
      'drop table "crawled_pages"',
      'drop table "crawl_plans"',
      'drop index "knowledge_files_size"',
      'drop index "knowledge_files_at_work"',
      'delete from "datasets"',
    ],
  },
}
