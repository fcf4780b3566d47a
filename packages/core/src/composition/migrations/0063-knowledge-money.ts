import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0063-knowledge-money',
  up: {
    sqlite: [
      'alter table `knowledge_files` add column `awaits_money` integer not null default false',
      'create index `knowledge_files_without_money` on `knowledge_files` (`tenant_id`, `id`) where awaits_money = true',
    ],
    postgresql: [
      'alter table "knowledge_files" add "awaits_money" boolean not null default false',
      'create index "knowledge_files_without_money" on "knowledge_files" ("tenant_id", "id") where awaits_money = true',
    ],
  },
  down: {
    sqlite: [
      'drop index `knowledge_files_without_money`',
      'alter table `knowledge_files` drop column `awaits_money`',
    ],
    postgresql: [
      'drop index "knowledge_files_without_money"',
      'alter table "knowledge_files" drop column "awaits_money"',
    ],
  },
}
