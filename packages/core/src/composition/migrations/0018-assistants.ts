import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0018-assistants',
  up: {
    sqlite: [
      "alter table `api_keys` add column `assistant_access` text not null default 'read'",
      'alter table `audit_records` add column `assistant` text null',
    ],
    postgresql: [
      'alter table "api_keys" add "assistant_access" varchar(255) not null default \'read\'',
      'alter table "audit_records" add "assistant" varchar(255) null',
    ],
  },
  down: {
    sqlite: [
      'alter table `api_keys` drop column `assistant_access`',
      'alter table `audit_records` drop column `assistant`',
    ],
    postgresql: [
      'alter table "api_keys" drop column "assistant_access"',
      'alter table "audit_records" drop column "assistant"',
    ],
  },
}
