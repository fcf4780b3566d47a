import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0034-email-templates',
  up: {
    sqlite: [
      'create table `email_templates` (`id` text not null primary key, `tenant_id` text null, `slug` text not null, `name` text not null, `subject` text not null, `body_html` text not null, `body_text` text not null, `variables` json not null, `category` text not null, `is_active` integer not null, `send_via` text not null, `is_shipped` integer not null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create unique index `email_templates_slug` on `email_templates` (`tenant_id`, `slug`) where tenant_id is not null',
      'create unique index `email_templates_global_slug` on `email_templates` (`slug`) where tenant_id is null',
    ],
    postgresql: [
      'create table "email_templates" ("id" varchar(26) not null, "tenant_id" varchar(26) null, "slug" varchar(255) not null, "name" varchar(255) not null, "subject" varchar(255) not null, "body_html" text not null, "body_text" text not null, "variables" jsonb not null, "category" varchar(255) not null, "is_active" boolean not null, "send_via" varchar(255) not null, "is_shipped" boolean not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create unique index "email_templates_slug" on "email_templates" ("tenant_id", "slug") where tenant_id is not null',
      'create unique index "email_templates_global_slug" on "email_templates" ("slug") where tenant_id is null',
    ],
  },
  down: {
    sqlite: ['drop table if exists `email_templates`'],
    postgresql: ['drop table if exists "email_templates" cascade'],
  },
}
