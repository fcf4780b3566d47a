import type { MigrationScript } from '../../platform/database/migrate.ts'

/**
 * A text as its words are read from it: without accents, and with a space for each other sign, since PostgreSQL takes `AB-1234` for a word
 * and a negative number, and `a/b` for a path.
 */
const plainText = `create function "knowledge_plain"(given text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(
    regexp_replace(normalize(given, nfkd), '[\\u0300-\\u036f]+', '', 'g'),
    '[\\x01-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f\\u00a0-\\u00bf\\u2000-\\u206f\\u3000-\\u303f\\uff00-\\uff0f]+', ' ', 'g')
$$`

/** The dataset is a word of the chunk: the index then finds what both have, and not the words of all tenants. */
const addWords = `create function "knowledge_add_words"() returns trigger language plpgsql as $$
declare
  found tsvector := setweight(to_tsvector('knowledge_english', knowledge_plain(coalesce(new.heading, ''))), 'A')
    || to_tsvector('knowledge_english', knowledge_plain(new.text));
begin
  insert into knowledge_words (seq, file_id, version, length, words) values (
    new.seq, new.file_id, new.version,
    (select coalesce(sum(cardinality(positions)), 0) from unnest(found)),
    found || array_to_tsvector(array[new.dataset_id::text]));
  return null;
end $$`

const wordTypes =
  'asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart, int, uint, float, sfloat, version, email, url, url_path, host, file'

export const migration: MigrationScript = {
  name: '0027-knowledge',
  up: {
    sqlite: [
      'create table `datasets` (`id` text not null primary key, `tenant_id` text not null, `slug` text not null, `name` text not null, `description` text null, `chunk_size` integer not null, `chunk_overlap` integer not null, `parse_type` text not null, `parser_engine` text not null, `allowed_agent_roles` json null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create unique index `datasets_slug` on `datasets` (`tenant_id`, `slug`)',
      'create table `knowledge_files` (`id` text not null primary key, `tenant_id` text not null, `dataset_id` text not null, `file_name` text not null, `mime_type` text not null, `file_size_bytes` integer not null, `sha256` text not null, `source` text not null, `status` text not null, `progress` integer not null, `enabled` integer not null, `error_message` text null, `chunk_size` integer null, `chunk_overlap` integer null, `parse_type` text null, `parser_engine` text null, `chunks_count` integer not null, `version` integer not null, `url` text null, `published_at` datetime null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `knowledge_files_by_dataset` on `knowledge_files` (`dataset_id`, `id`)',
      'create table `knowledge_chunks` (`seq` integer not null primary key autoincrement, `id` text not null, `tenant_id` text not null, `dataset_id` text not null, `file_id` text not null, `version` integer not null, `ordinal` integer not null, `text` text not null, `heading` text null, `page` integer null, `sha256` text not null, `model` text null, `vector` blob null)',
      'create unique index `knowledge_chunks_id` on `knowledge_chunks` (`id`)',
      'create unique index `knowledge_chunks_place` on `knowledge_chunks` (`file_id`, `version`, `ordinal`)',
      'create index `knowledge_chunks_by_dataset` on `knowledge_chunks` (`dataset_id`, `seq`)',
      'create index `knowledge_chunks_by_content` on `knowledge_chunks` (`tenant_id`, `sha256`, `model`)',
      "create virtual table `knowledge_words` using fts5 (dataset_id, heading, text, content='knowledge_chunks', content_rowid='seq', tokenize='porter unicode61 remove_diacritics 2')",
      'create trigger `knowledge_chunks_added` after insert on `knowledge_chunks` begin insert into `knowledge_words` (rowid, dataset_id, heading, text) values (new.seq, new.dataset_id, new.heading, new.text); end',
      "create trigger `knowledge_chunks_deleted` after delete on `knowledge_chunks` begin insert into `knowledge_words` (`knowledge_words`, rowid, dataset_id, heading, text) values ('delete', old.seq, old.dataset_id, old.heading, old.text); end",
    ],
    postgresql: [
      'create table "datasets" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "slug" varchar(255) not null, "name" varchar(255) not null, "description" text null, "chunk_size" int not null, "chunk_overlap" int not null, "parse_type" varchar(255) not null, "parser_engine" varchar(255) not null, "allowed_agent_roles" jsonb null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'alter table "datasets" add constraint "datasets_slug" unique ("tenant_id", "slug")',
      'create table "knowledge_files" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "dataset_id" varchar(26) not null, "file_name" varchar(255) not null, "mime_type" varchar(255) not null, "file_size_bytes" int not null, "sha256" varchar(64) not null, "source" varchar(255) not null, "status" varchar(255) not null, "progress" int not null, "enabled" boolean not null, "error_message" text null, "chunk_size" int null, "chunk_overlap" int null, "parse_type" varchar(255) null, "parser_engine" varchar(255) null, "chunks_count" int not null, "version" int not null, "url" text null, "published_at" timestamptz(3) null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "knowledge_files_by_dataset" on "knowledge_files" ("dataset_id", "id")',
      'create table "knowledge_chunks" ("seq" serial primary key, "id" varchar(26) not null, "tenant_id" varchar(26) not null, "dataset_id" varchar(26) not null, "file_id" varchar(26) not null, "version" int not null, "ordinal" int not null, "text" text not null, "heading" text null, "page" int null, "sha256" varchar(64) not null, "model" varchar(255) null, "vector" bytea null)',
      'alter table "knowledge_chunks" add constraint "knowledge_chunks_id" unique ("id")',
      'alter table "knowledge_chunks" add constraint "knowledge_chunks_place" unique ("file_id", "version", "ordinal")',
      'create index "knowledge_chunks_by_dataset" on "knowledge_chunks" ("dataset_id", "seq")',
      'create index "knowledge_chunks_by_content" on "knowledge_chunks" ("tenant_id", "sha256", "model")',
      // Stems as `english` does, and keeps the words that it leaves out: `to be or not to be` can be found.
      'create text search dictionary "knowledge_stems" (template = pg_catalog.snowball, language = english)',
      'create text search configuration "knowledge_english" (copy = pg_catalog.english)',
      `alter text search configuration "knowledge_english" alter mapping for ${wordTypes} with "knowledge_stems"`,
      'create table "knowledge_words" ("seq" int primary key references "knowledge_chunks" ("seq") on delete cascade, "file_id" varchar(26) not null, "version" int not null, "length" int not null, "words" tsvector not null)',
      // What is ranked is read in its row, and not taken out of compression each time.
      'alter table "knowledge_words" alter column "words" set storage external, set (toast_tuple_target = 8160)',
      'create index "knowledge_words_index" on "knowledge_words" using gin ("words")',
      plainText,
      addWords,
      'create trigger "knowledge_chunks_added" after insert on "knowledge_chunks" for each row execute function "knowledge_add_words"()',
    ],
  },
  down: {
    sqlite: [
      'drop trigger `knowledge_chunks_deleted`',
      'drop trigger `knowledge_chunks_added`',
      'drop table `knowledge_words`',
      'drop table `knowledge_chunks`',
      'drop table `knowledge_files`',
      'drop table `datasets`',
    ],
    postgresql: [
      'drop table "knowledge_words"',
      'drop table "knowledge_chunks"',
      'drop function "knowledge_add_words"()',
      'drop function "knowledge_plain"(text)',
      'drop text search configuration "knowledge_english"',
      'drop text search dictionary "knowledge_stems"',
      'drop table "knowledge_files"',
      'drop table "datasets"',
    ],
  },
}
