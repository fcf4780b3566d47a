import type { MigrationScript } from '../../platform/database/migrate.ts'

/**
 * Each word of the index begins with the tenant: a search looks at the words of one tenant, and at no one else's.
 */
const wordsOf = (row: string) => `replace(${row}.words, ' ', ' ' || ${row}.tenant_id)`

const saveWords = `create function "leads_save_words"() returns trigger language plpgsql as $$
declare
  found tsvector := array_to_tsvector(string_to_array(ltrim(${wordsOf('new')}), ' '));
begin
  insert into lead_words (seq, words) values (new.seq, found)
    on conflict (seq) do update set words = excluded.words;
  return null;
end $$`

export const migration: MigrationScript = {
  name: '0031-leads',
  up: {
    sqlite: [
      'create table `leads` (`seq` integer not null primary key autoincrement, `id` text not null, `tenant_id` text not null, `first_name` text not null, `last_name` text not null, `email` text null, `phone` text null, `company` text null, `status` text not null, `source` text not null, `source_ref` text null, `score` integer null, `assigned_to_id` text null, `tags` json not null, `identity` text null, `phone_key` text null, `words` text not null, `import_id` text null, `revision` integer not null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `leads_by_tenant` on `leads` (`tenant_id`, `id`)',
      'create index `leads_by_status` on `leads` (`tenant_id`, `status`, `id`)',
      'create index `leads_by_source` on `leads` (`tenant_id`, `source`, `id`)',
      'create index `leads_by_phone` on `leads` (`tenant_id`, `phone_key`)',
      'create unique index `leads_id` on `leads` (`id`)',
      'create unique index `leads_identity` on `leads` (`tenant_id`, `identity`)',
      'create table `lead_events` (`id` text not null primary key, `tenant_id` text not null, `lead_id` text not null, `kind` text not null, `text` text not null, `actor_id` text null, `actor_name` text not null, `at` datetime not null)',
      'create index `lead_events_by_lead` on `lead_events` (`lead_id`, `id`)',
      'create table `lead_imports` (`id` text not null primary key, `tenant_id` text not null, `label` text not null, `file_name` text not null, `size_bytes` integer not null, `duplicates` text not null, `format` json not null, `status` text not null, `total` integer not null, `imported` integer not null, `updated` integer not null, `skipped` integer not null, `read_bytes` integer not null, `next_line` integer not null, `reason` text null, `undo` text null, `removed` integer not null, `kept` integer not null, `created_by_id` text not null, `created_by_name` text not null, `created_on` datetime not null, `finished_on` datetime null)',
      'create index `lead_imports_by_tenant` on `lead_imports` (`tenant_id`, `status`)',
      'create table `lead_import_errors` (`import_id` text not null, `line` integer not null, `tenant_id` text not null, `reason` text not null, `cells` json not null, primary key (`import_id`, `line`))',
      "create virtual table `lead_words` using fts5 (words, content='', tokenize='ascii', detail=none)",
      `create trigger \`leads_added\` after insert on \`leads\` begin insert into \`lead_words\` (rowid, words) values (new.seq, ${wordsOf('new')}); end`,
      `create trigger \`leads_deleted\` after delete on \`leads\` begin insert into \`lead_words\` (\`lead_words\`, rowid, words) values ('delete', old.seq, ${wordsOf('old')}); end`,
      `create trigger \`leads_renamed\` after update of \`words\` on \`leads\` when new.words <> old.words begin insert into \`lead_words\` (\`lead_words\`, rowid, words) values ('delete', old.seq, ${wordsOf('old')}); insert into \`lead_words\` (rowid, words) values (new.seq, ${wordsOf('new')}); end`,
    ],
    postgresql: [
      'create table "leads" ("seq" serial primary key, "id" varchar(26) not null, "tenant_id" varchar(26) not null, "first_name" varchar(255) not null, "last_name" varchar(255) not null, "email" varchar(255) null, "phone" varchar(255) null, "company" varchar(255) null, "status" varchar(255) not null, "source" varchar(255) not null, "source_ref" varchar(255) null, "score" int null, "assigned_to_id" varchar(26) null, "tags" jsonb not null, "identity" varchar(300) null, "phone_key" varchar(255) null, "words" text not null, "import_id" varchar(26) null, "revision" int not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null)',
      'create index "leads_by_tenant" on "leads" ("tenant_id", "id")',
      'create index "leads_by_status" on "leads" ("tenant_id", "status", "id")',
      'create index "leads_by_source" on "leads" ("tenant_id", "source", "id")',
      'create index "leads_by_phone" on "leads" ("tenant_id", "phone_key")',
      'alter table "leads" add constraint "leads_id" unique ("id")',
      'alter table "leads" add constraint "leads_identity" unique ("tenant_id", "identity")',
      'create table "lead_events" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "lead_id" varchar(26) not null, "kind" varchar(255) not null, "text" text not null, "actor_id" varchar(255) null, "actor_name" varchar(255) not null, "at" timestamptz(3) not null, primary key ("id"))',
      'create index "lead_events_by_lead" on "lead_events" ("lead_id", "id")',
      'create table "lead_imports" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "label" varchar(255) not null, "file_name" varchar(255) not null, "size_bytes" int not null, "duplicates" varchar(255) not null, "format" jsonb not null, "status" varchar(255) not null, "total" int not null, "imported" int not null, "updated" int not null, "skipped" int not null, "read_bytes" int not null, "next_line" int not null, "reason" text null, "undo" varchar(255) null, "removed" int not null, "kept" int not null, "created_by_id" varchar(255) not null, "created_by_name" varchar(255) not null, "created_on" timestamptz(3) not null, "finished_on" timestamptz(3) null, primary key ("id"))',
      'create index "lead_imports_by_tenant" on "lead_imports" ("tenant_id", "status")',
      'create table "lead_import_errors" ("import_id" varchar(26) not null, "line" int not null, "tenant_id" varchar(26) not null, "reason" varchar(255) not null, "cells" jsonb not null, primary key ("import_id", "line"))',
      'create table "lead_words" ("seq" int primary key references "leads" ("seq") on delete cascade, "words" tsvector not null)',
      'create index "lead_words_index" on "lead_words" using gin ("words")',
      saveWords,
      'create trigger "leads_saved" after insert or update of "words" on "leads" for each row execute function "leads_save_words"()',
    ],
  },
  down: {
    sqlite: [
      'drop table `lead_words`',
      'drop table `lead_import_errors`',
      'drop table `lead_imports`',
      'drop table `lead_events`',
      'drop table `leads`',
    ],
    postgresql: [
      'drop table "lead_words"',
      'drop table "lead_import_errors"',
      'drop table "lead_imports"',
      'drop table "lead_events"',
      'drop table "leads"',
      'drop function "leads_save_words"()',
    ],
  },
}
