import type { MigrationScript } from '../../platform/database/migrate.ts'

/** The index has stems in place of the text of chunks that have some; on SQLite it has to be told them once more when they go. */
const added = (heading: string, text: string) =>
  `create trigger \`knowledge_chunks_added\` after insert on \`knowledge_chunks\` begin insert into \`knowledge_words\` (rowid, dataset_id, heading, text) values (new.seq, new.dataset_id, ${heading}, ${text}); end`
const deleted = (heading: string, text: string) =>
  `create trigger \`knowledge_chunks_deleted\` after delete on \`knowledge_chunks\` begin insert into \`knowledge_words\` (\`knowledge_words\`, rowid, dataset_id, heading, text) values ('delete', old.seq, old.dataset_id, ${heading}, ${text}); end`
const dropTriggers = ['drop trigger `knowledge_chunks_added`', 'drop trigger `knowledge_chunks_deleted`']

const words = (heading: string, text: string) =>
  `setweight(to_tsvector('knowledge_english', knowledge_plain(coalesce(${heading}, ''))), 'A') || to_tsvector('knowledge_english', knowledge_plain(${text}))`
const length = (found: string) => `(select coalesce(sum(cardinality(positions)), 0) from unnest(${found}))`

const addWords = (
  heading: string,
  text: string,
) => `create or replace function "knowledge_add_words"() returns trigger language plpgsql as $$
declare
  found tsvector := ${words(heading, text)};
begin
  insert into knowledge_words (seq, file_id, version, dataset_id, length, words) values (
    new.seq, new.file_id, new.version, new.dataset_id,
    ${length('found')},
    found);
  return null;
end $$`

export const migration: MigrationScript = {
  name: '0062-knowledge-languages',
  up: {
    sqlite: [
      'alter table `datasets` add column `languages` json null',
      'alter table `knowledge_files` add column `language` text null',
      'alter table `knowledge_chunks` add column `heading_stems` text null',
      'alter table `knowledge_chunks` add column `text_stems` text null',
      ...dropTriggers,
      added('coalesce(new.heading_stems, new.heading)', 'coalesce(new.text_stems, new.text)'),
      deleted('coalesce(old.heading_stems, old.heading)', 'coalesce(old.text_stems, old.text)'),
    ],
    postgresql: [
      'alter table "datasets" add "languages" jsonb null',
      'alter table "knowledge_files" add "language" varchar(255) null',
      'alter table "knowledge_chunks" add "heading_stems" text null, add "text_stems" text null',
      addWords('coalesce(new.heading_stems, new.heading)', 'coalesce(new.text_stems, new.text)'),
    ],
  },
  down: {
    sqlite: [
      "insert into `knowledge_words` (`knowledge_words`, rowid, dataset_id, heading, text) select 'delete', seq, dataset_id, coalesce(heading_stems, heading), text_stems from `knowledge_chunks` where text_stems is not null",
      'insert into `knowledge_words` (rowid, dataset_id, heading, text) select seq, dataset_id, heading, text from `knowledge_chunks` where text_stems is not null',
      ...dropTriggers,
      added('new.heading', 'new.text'),
      deleted('old.heading', 'old.text'),
      'alter table `knowledge_chunks` drop column `text_stems`',
      'alter table `knowledge_chunks` drop column `heading_stems`',
      'alter table `knowledge_files` drop column `language`',
      'alter table `datasets` drop column `languages`',
    ],
    postgresql: [
      `update "knowledge_words" w set "words" = c.found, "length" = ${length('c.found')} from (select seq, ${words('heading', 'text')} as found from "knowledge_chunks" where "text_stems" is not null) c where c.seq = w.seq`,
      addWords('new.heading', 'new.text'),
      'alter table "knowledge_chunks" drop column "text_stems", drop column "heading_stems"',
      'alter table "knowledge_files" drop column "language"',
      'alter table "datasets" drop column "languages"',
    ],
  },
}
