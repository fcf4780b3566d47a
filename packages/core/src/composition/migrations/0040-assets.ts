import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0040-assets',
  up: {
    sqlite: [
      'create table `assets` (`id` text not null primary key, `tenant_id` text not null, `name` text not null, `alt_text` text null, `tags` text not null, `kind` text not null, `mime_type` text not null, `size_bytes` integer not null, `width` integer null, `height` integer null, `sha256` text not null, `created_by_id` text not null, `created_by_name` text not null, `created_on` datetime not null, `updated_on` datetime not null, `deleted_on` datetime null)',
      'create index `assets_by_tenant` on `assets` (`tenant_id`, `id`)',
      'create index `assets_size` on `assets` (`tenant_id`, `size_bytes`)',
      'create table `asset_uses` (`id` text not null primary key, `tenant_id` text not null, `asset_id` text not null, `used_by_type` text not null, `used_by_id` text not null, `created_on` datetime not null)',
      'create unique index `asset_uses_once` on `asset_uses` (`asset_id`, `used_by_type`, `used_by_id`)',
      'create index `asset_uses_by_user` on `asset_uses` (`tenant_id`, `used_by_type`, `used_by_id`)',
    ],
    postgresql: [
      'create table "assets" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "name" varchar(255) not null, "alt_text" text null, "tags" text not null, "kind" varchar(255) not null, "mime_type" varchar(255) not null, "size_bytes" int not null, "width" int null, "height" int null, "sha256" varchar(64) not null, "created_by_id" varchar(255) not null, "created_by_name" varchar(255) not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, "deleted_on" timestamptz(3) null, primary key ("id"))',
      'create index "assets_by_tenant" on "assets" ("tenant_id", "id")',
      'create index "assets_size" on "assets" ("tenant_id", "size_bytes")',
      'create table "asset_uses" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "asset_id" varchar(26) not null, "used_by_type" varchar(255) not null, "used_by_id" varchar(255) not null, "created_on" timestamptz(3) not null, primary key ("id"))',
      'create unique index "asset_uses_once" on "asset_uses" ("asset_id", "used_by_type", "used_by_id")',
      'create index "asset_uses_by_user" on "asset_uses" ("tenant_id", "used_by_type", "used_by_id")',
    ],
  },
  down: {
    sqlite: ['drop table if exists `asset_uses`', 'drop table if exists `assets`'],
    postgresql: ['drop table if exists "asset_uses" cascade', 'drop table if exists "assets" cascade'],
  },
}
