import type { MigrationScript } from '../../platform/database/migrate.ts'
import { block, finderOf, wordsTable } from './0056-lead-blocks.ts'

/**
 * What a lead is found by: its words, its status and its source, each after the end of the id of its tenant and the block of 16,384 numbers
 * that its own is in (0056-lead-blocks). A part of the id makes small terms; where two tenants have the same one, the search tells them apart.
 */
const ending = `right(tenant, 8)`
const termsFunction = `create function "lead_terms"(tenant text, seq int, words text, status text, source text) returns tsvector
language sql immutable parallel safe as $$
  select array_to_tsvector(string_to_array(ltrim(
    replace(words || ' §' || status || ' ¶' || replace(source, '_', ''), ' ', ' ' || ${ending} || ${block('seq >> 14')})
  ), ' '))
$$`
const termsOf = (row: string) =>
  `lead_terms(${['tenant_id', 'seq', 'words', 'status', 'source'].map((column) => row + column).join(', ')})`

/** As of 0077 and before. */
const formerTerms = `replace(r.words || ' §' || r.status || ' ¶' || replace(r.source, '_', ''), ' ', ' ' || r.tenant_id || ${block('r.seq >> 14')})`
const formerVector = `array_to_tsvector(string_to_array(ltrim(${formerTerms}), ' '))`
const former = (name: string, statement: string) =>
  `create function "${name}"() returns trigger language plpgsql as $$
begin
  ${statement};
  return null;
end $$`
const formerTriggers = [
  former('leads_add_words', `insert into lead_words (seq, words) select r.seq, ${formerVector} from added r`),
  former(
    'leads_change_words',
    `insert into lead_words (seq, words) select r.seq, ${formerVector} from changed r join formerly f on f.seq = r.seq
   where (r.words, r.status, r.source) is distinct from (f.words, f.status, f.source) on conflict (seq) do update set words = excluded.words`,
  ),
  former('leads_remove_words', 'delete from lead_words w using removed where w.seq = removed.seq'),
  'create trigger "leads_added" after insert on "leads" referencing new table as added for each statement execute function "leads_add_words"()',
  'create trigger "leads_saved" after update on "leads" referencing old table as formerly new table as changed for each statement execute function "leads_change_words"()',
  'create trigger "leads_removed" after delete on "leads" referencing old table as removed for each statement execute function "leads_remove_words"()',
]

/**
 * On PostgreSQL the index of words is one of the leads themselves. A table of its own, which triggers kept, was a fifth of what an import
 * wrote. The index is made at once of all words, which takes about ten seconds for a million leads.
 */
export const migration: MigrationScript = {
  name: '0078-lead-words-index',
  up: {
    sqlite: [],
    postgresql: [
      ...['leads_added', 'leads_saved', 'leads_removed'].map((name) => `drop trigger "${name}" on "leads"`),
      ...['leads_add_words', 'leads_change_words', 'leads_remove_words'].map(
        (name) => `drop function "${name}"()`,
      ),
      'drop table "lead_words"',
      termsFunction,
      `create index "leads_by_words" on "leads" using gin (${termsOf('')}) with (gin_pending_list_limit = 256)`,
      // The tenant is compared so that an index that begins with it is not taken in place of that of words.
      finderOf(`${ending} || `, `leads w where w.tenant_id || '' = tenant and ${termsOf('w.')}`),
    ],
  },
  down: {
    sqlite: [],
    postgresql: [
      'drop index "leads_by_words"',
      'drop function "lead_terms"(text, int, text, text, text)',
      'create table "lead_words" ("seq" int primary key, "words" tsvector not null)',
      `insert into lead_words (seq, words) select r.seq, ${formerVector} from leads r`,
      'create index "lead_words_index" on "lead_words" using gin ("words") with (gin_pending_list_limit = 256)',
      ...formerTriggers,
      finderOf('', wordsTable),
    ],
  },
}
