import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0048-publication-metrics',
  up: {
    sqlite: [
      'create table `publication_metrics` (`id` text not null primary key, `tenant_id` text not null, `publication_id` text not null, `day` text not null, `impressions` bigint null, `reach` bigint null, `reactions` bigint null, `comments` bigint null, `shares` bigint null, `clicks` bigint null, `deliveries` bigint null, `opens` bigint null, `unsubscribes` bigint null, `updated_on` datetime not null)',
      'create index `publication_metrics_by_tenant` on `publication_metrics` (`tenant_id`, `id`)',
      'create unique index `publication_metrics_once` on `publication_metrics` (`publication_id`, `day`)',
    ],
    postgresql: [
      'create table "publication_metrics" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "publication_id" varchar(26) not null, "day" varchar(10) not null, "impressions" bigint null, "reach" bigint null, "reactions" bigint null, "comments" bigint null, "shares" bigint null, "clicks" bigint null, "deliveries" bigint null, "opens" bigint null, "unsubscribes" bigint null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "publication_metrics_by_tenant" on "publication_metrics" ("tenant_id", "id")',
      'alter table "publication_metrics" add constraint "publication_metrics_once" unique ("publication_id", "day")',
    ],
  },
  down: {
    sqlite: ['drop table if exists `publication_metrics`'],
    postgresql: ['drop table if exists "publication_metrics" cascade'],
  },
}
