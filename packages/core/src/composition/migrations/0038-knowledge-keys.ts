import type { MigrationScript } from '../../platform/database/migrate.ts'

/**
 * What the index of words has of a chunk: a number for each word together with the dataset. So a word is found in one dataset by one look
 * at the index, which read all places of the dataset and of the word before. Words with the same number are told apart by who asks.
 */
const makeKeys = `create function "knowledge_keys"(dataset text, words tsvector) returns bigint[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(hashtextextended(dataset || ' ' || lexeme, 0)), '{}') from unnest(tsvector_to_array(words)) as w (lexeme)
$$`

const addWords = (
  columns: string,
  values: string,
  words: string,
) => `create or replace function "knowledge_add_words"() returns trigger language plpgsql as $$
declare
  found tsvector := setweight(to_tsvector('knowledge_english', knowledge_plain(coalesce(new.heading, ''))), 'A')
    || to_tsvector('knowledge_english', knowledge_plain(new.text));
begin
  insert into knowledge_words (${columns}) values (
    ${values},
    (select coalesce(sum(cardinality(positions)), 0) from unnest(found)),
    ${words});
  return null;
end $$`

export const migration: MigrationScript = {
  name: '0038-knowledge-keys',
  up: {
    sqlite: [],
    postgresql: [
      'alter table "knowledge_words" add column "dataset_id" varchar(26) null',
      'update "knowledge_words" w set "dataset_id" = c."dataset_id", "words" = ts_delete(w."words", c."dataset_id") from "knowledge_chunks" c where c."seq" = w."seq"',
      'alter table "knowledge_words" alter column "dataset_id" set not null',
      addWords(
        'seq, file_id, version, dataset_id, length, words',
        'new.seq, new.file_id, new.version, new.dataset_id',
        'found',
      ),
      'drop index "knowledge_words_index"',
      makeKeys,
      // A search reads all that waits to be put in order: of 4 MB, as is usual, it took longer than everything else.
      'create index "knowledge_words_keys" on "knowledge_words" using gin (knowledge_keys("dataset_id", "words")) with (gin_pending_list_limit = 256)',
    ],
  },
  down: {
    sqlite: [],
    postgresql: [
      'drop index "knowledge_words_keys"',
      'drop function "knowledge_keys"(text, tsvector)',
      'update "knowledge_words" set "words" = "words" || array_to_tsvector(array["dataset_id"::text])',
      addWords(
        'seq, file_id, version, length, words',
        'new.seq, new.file_id, new.version',
        'found || array_to_tsvector(array[new.dataset_id::text])',
      ),
      'alter table "knowledge_words" drop column "dataset_id"',
      'create index "knowledge_words_index" on "knowledge_words" using gin ("words")',
    ],
  },
}
