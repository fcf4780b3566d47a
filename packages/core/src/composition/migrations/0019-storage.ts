import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0019-storage',
  up: {
    sqlite: [
      'alter table `config_versions` add column `size_bytes` integer not null default 0',
      "update `config_versions` set `size_bytes` = length(cast(`data` as blob)) where `kind` = 'skill'",
      'create index `config_versions_size` on `config_versions` (`kind`, `tenant_id`, `size_bytes`)',
      'create index `documents_size` on `documents` (`tenant_id`, `size_bytes`)',
    ],
    postgresql: [
      'alter table "config_versions" add "size_bytes" int not null default 0',
      'update "config_versions" set "size_bytes" = octet_length("data"::text) where "kind" = \'skill\'',
      'create index "config_versions_size" on "config_versions" ("kind", "tenant_id", "size_bytes")',
      'create index "documents_size" on "documents" ("tenant_id", "size_bytes")',
    ],
  },
  down: {
    sqlite: [
      'drop index `config_versions_size`',
      'alter table `config_versions` drop column `size_bytes`',
      'drop index `documents_size`',
    ],
    postgresql: [
      'drop index "config_versions_size"',
      'alter table "config_versions" drop column "size_bytes"',
      'drop index "documents_size"',
    ],
  },
}
