import type { MigrationScript } from '../../platform/database/migrate.ts'

/**
 * What a lead is found by: its words, and its status and source, which no word of a name can be. Each begins with the tenant, so that
 * a search looks at the words of one tenant only.
 */
const termsOf = (row: string) =>
  `replace(${row}.words || ' §' || ${row}.status || ' ¶' || replace(${row}.source, '_', ''), ' ', ' ' || ${row}.tenant_id)`
const formerly = (row: string) => `replace(${row}.words, ' ', ' ' || ${row}.tenant_id)`

const wordsTable = (options: string) =>
  `create virtual table \`lead_words\` using fts5 (words, content='', tokenize='ascii', detail=none${options})`
const add = (terms: string) => `insert into \`lead_words\` (rowid, words) values (new.seq, ${terms})`
const remove = (terms: string) =>
  `insert into \`lead_words\` (\`lead_words\`, rowid, words) values ('delete', old.seq, ${terms})`
const fill = (terms: string) =>
  `insert into \`lead_words\` (rowid, words) select l.seq, ${terms} from \`leads\` l`
const dropTriggers = ['leads_added', 'leads_deleted', 'leads_renamed'].map(
  (name) => `drop trigger \`${name}\``,
)

const addWords = (terms: string, source: string) =>
  `insert into lead_words (seq, words) select r.seq, array_to_tsvector(string_to_array(ltrim(${terms}), ' ')) from ${source} r
   on conflict (seq) do update set words = excluded.words`

/** Triggers for statements: what one adds or renames goes to the index at once. */
const trigger = (
  name: string,
  terms: string,
) => `create or replace function "${name}"() returns trigger language plpgsql as $$
begin
  ${addWords(terms, 'added')};
  return null;
end $$`

/** As of 0036. */
const savedBefore = `create trigger "leads_saved" after update of "words" on "leads" for each row when (new.words is distinct from old.words) execute function "leads_save_words"()`
const savedFunction = `create function "leads_save_words"() returns trigger language plpgsql as $$
begin
  insert into lead_words (seq, words) values (new.seq, array_to_tsvector(string_to_array(ltrim(${formerly('new')}), ' ')))
    on conflict (seq) do update set words = excluded.words;
  return null;
end $$`
const addedBefore = `create or replace function "leads_add_words"() returns trigger language plpgsql as $$
begin
  insert into lead_words (seq, words) select added.seq, array_to_tsvector(string_to_array(ltrim(${formerly('added')}), ' ')) from added;
  return null;
end $$`

/**
 * The numbers of the leads that have some terms. With settings of its own: a plan that was made while there were few leads, or for words
 * that many have, would read all of the table. Not the column itself: rather than ask the index of words, such a plan would go through
 * all rows in its order.
 */
const find = (sign: string, order: string) =>
  `return query select w.seq from lead_words w where w.words @@ terms::tsquery and w.seq + 0 ${sign} beyond order by w.seq + 0 ${order} limit most;`
const finder = `create function "leads_found"(terms text, beyond int, newest_first boolean, most int) returns setof int
language plpgsql stable set enable_seqscan = off set jit = off as $$
begin
  if newest_first then
    ${find('<', 'desc')}
  else
    ${find('>', 'asc')}
  end if;
end $$`

/**
 * Leads are listed in the order in which they came, by two indexes instead of four. On SQLite the index of words has the beginnings of
 * words of 1, 2, 3 and 5 letters, after the 26 of the tenant, and an import adds to it by itself.
 * On PostgreSQL the rows of the index are written anew, which takes about a minute for a million leads.
 */
export const migration: MigrationScript = {
  name: '0044-lead-order',
  up: {
    sqlite: [
      'drop index `leads_by_tenant`',
      'drop index `leads_by_status`',
      'drop index `leads_by_source`',
      'drop index `leads_by_status_source`',
      'create index `leads_in_order` on `leads` (`tenant_id`, `seq`)',
      'create index `leads_by_status` on `leads` (`tenant_id`, `status`, `source`, `seq`)',
      ...dropTriggers,
      'drop table `lead_words`',
      wordsTable(", prefix='27 28 29 31'"),
      fill(termsOf('l')),
      `create trigger \`leads_added\` after insert on \`leads\` when new.import_id is null begin ${add(termsOf('new'))}; end`,
      `create trigger \`leads_deleted\` after delete on \`leads\` begin ${remove(termsOf('old'))}; end`,
      `create trigger \`leads_renamed\` after update of \`words\`, \`status\`, \`source\` on \`leads\` when new.words <> old.words or new.status <> old.status or new.source <> old.source begin ${remove(termsOf('old'))}; ${add(termsOf('new'))}; end`,
    ],
    postgresql: [
      'drop index "leads_by_tenant"',
      'drop index "leads_by_status"',
      'drop index "leads_by_source"',
      'drop index "leads_by_status_source"',
      'create index "leads_in_order" on "leads" ("tenant_id", "seq")',
      'create index "leads_by_status" on "leads" ("tenant_id", "status", "source", "seq")',
      'drop trigger "leads_saved" on "leads"',
      'drop function "leads_save_words"()',
      trigger('leads_add_words', termsOf('r')),
      'create trigger "leads_saved" after update on "leads" referencing new table as added for each statement execute function "leads_add_words"()',
      'truncate "lead_words"',
      addWords(termsOf('r'), 'leads'),
      finder,
    ],
  },
  down: {
    sqlite: [
      ...dropTriggers,
      'drop table `lead_words`',
      wordsTable(''),
      fill(formerly('l')),
      `create trigger \`leads_added\` after insert on \`leads\` begin ${add(formerly('new'))}; end`,
      `create trigger \`leads_deleted\` after delete on \`leads\` begin ${remove(formerly('old'))}; end`,
      `create trigger \`leads_renamed\` after update of \`words\` on \`leads\` when new.words <> old.words begin ${remove(formerly('old'))}; ${add(formerly('new'))}; end`,
      'drop index `leads_in_order`',
      'drop index `leads_by_status`',
      'create index `leads_by_tenant` on `leads` (`tenant_id`, `id`)',
      'create index `leads_by_status` on `leads` (`tenant_id`, `status`, `id`)',
      'create index `leads_by_source` on `leads` (`tenant_id`, `source`, `id`)',
      'create index `leads_by_status_source` on `leads` (`tenant_id`, `status`, `source`, `id`)',
    ],
    postgresql: [
      'drop function "leads_found"(text, int, boolean, int)',
      'drop trigger "leads_saved" on "leads"',
      addedBefore,
      savedFunction,
      savedBefore,
      'truncate "lead_words"',
      addWords(formerly('r'), 'leads'),
      'drop index "leads_in_order"',
      'drop index "leads_by_status"',
      'create index "leads_by_tenant" on "leads" ("tenant_id", "id")',
      'create index "leads_by_status" on "leads" ("tenant_id", "status", "id")',
      'create index "leads_by_source" on "leads" ("tenant_id", "source", "id")',
      'create index "leads_by_status_source" on "leads" ("tenant_id", "status", "source", "id")',
    ],
  },
}
