import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0035-lead-forms',
  up: {
    sqlite: [
      'create table `lead_forms` (`id` text not null primary key, `tenant_id` text not null, `name` text not null, `allowed_origins` json not null, `redirect_urls` json not null, `thank_you` text null, `consent_text` text null, `fields` json not null, `honeypot` text not null, `notify` integer not null, `active` integer not null, `received` integer not null, `dropped` integer not null, `last_received_on` datetime null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `lead_forms_by_tenant` on `lead_forms` (`tenant_id`, `id`)',
    ],
    postgresql: [
      'create table "lead_forms" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "name" varchar(255) not null, "allowed_origins" jsonb not null, "redirect_urls" jsonb not null, "thank_you" text null, "consent_text" text null, "fields" jsonb not null, "honeypot" varchar(255) not null, "notify" boolean not null, "active" boolean not null, "received" int not null, "dropped" int not null, "last_received_on" timestamptz(3) null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "lead_forms_by_tenant" on "lead_forms" ("tenant_id", "id")',
    ],
  },
  down: {
    sqlite: ['drop table if exists `lead_forms`'],
    postgresql: ['drop table if exists "lead_forms" cascade'],
  },
}
