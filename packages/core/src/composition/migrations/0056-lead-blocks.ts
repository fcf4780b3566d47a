import type { MigrationScript } from '../../platform/database/migrate.ts'

/**
 * On PostgreSQL the words of a lead begin with the tenant and the block of 16,384 numbers that the lead's own is in: an index of words has
 * no order, and so the newest of all leads that have a word would be found only by reading each of them.
 */
export const block = (number: string) => `lpad(to_hex(${number}), 5, '0')`
const termsOf = (begin: string) =>
  `replace(r.words || ' §' || r.status || ' ¶' || replace(r.source, '_', ''), ' ', ' ' || ${begin})`
const terms = termsOf(`r.tenant_id || ${block('r.seq >> 14')}`)
const formerly = termsOf('r.tenant_id')

const addWords = (words: string, source: string) =>
  `insert into lead_words (seq, words) select r.seq, array_to_tsvector(string_to_array(ltrim(${words}), ' ')) from ${source} r
   on conflict (seq) do update set words = excluded.words`

const trigger = (
  words: string,
) => `create or replace function "leads_add_words"() returns trigger language plpgsql as $$
begin
  ${addWords(words, 'added')};
  return null;
end $$`

/** The index is made at once of all words, which is faster than word by word. */
const fillWith = (words: string) => [
  'drop index "lead_words_index"',
  'truncate "lead_words"',
  addWords(words, 'leads'),
  'create index "lead_words_index" on "lead_words" using gin ("words")',
]

/**
 * The numbers of the leads of a tenant that have some terms, in which `#` stands for the block: block after block, of those in which the
 * tenant has leads, until there are enough. The more blocks had too few, the more are asked about at once. The next block is looked for
 * in a way that only the index that begins with the tenant has this order. With settings of its own: a plan for one of the terms would
 * be made each time, and one that was made while there were few leads would read all of the table.
 * @param begin what terms begin with before the block, with `||` at the end
 * @param terms where they are: a table `w`, and the end of a condition
 */
export const finderOf = (
  begin: string,
  terms: string,
) => `create or replace function "leads_found"(tenant text, terms text, beyond int, newest_first boolean, most int) returns setof int
language plpgsql stable set enable_seqscan = off set jit = off set max_parallel_workers_per_gather = 0
set plan_cache_mode = force_generic_plan as $$
declare
  sign int := case when newest_first then -1 else 1 end;
  bound int := beyond; block int; asked int := 0; query text; found int;
begin
  while most > 0 loop
    query := null;
    for n in 0 .. asked / 64 loop
      if newest_first then
        select l.seq >> 14 into block from leads l where l.tenant_id >= tenant and (l.tenant_id, l.seq) < (tenant, bound)
          order by l.tenant_id desc, l.seq desc limit 1;
        bound := block << 14;
      else
        select l.seq >> 14 into block from leads l where l.tenant_id <= tenant and (l.tenant_id, l.seq) > (tenant, bound)
          order by l.tenant_id, l.seq limit 1;
        bound := (block << 14) | 16383;
      end if;
      exit when block is null;
      query := concat_ws(' | ', query, replace(terms, '#', ${begin}${block('block')}));
      asked := asked + 1;
    end loop;
    exit when query is null;
    return query select w.seq from ${terms} @@ query::tsquery and (w.seq - beyond) * sign > 0
      order by w.seq * sign limit most;
    get diagnostics found = row_count;
    most := most - found;
  end loop;
end $$`

/** Where they are as of 0031. */
export const wordsTable = 'lead_words w where w.words'

/** As of 0044. */
const find = (sign: string, order: string) =>
  `return query select w.seq from lead_words w where w.words @@ terms::tsquery and w.seq + 0 ${sign} beyond order by w.seq + 0 ${order} limit most;`
const finderBefore = `create function "leads_found"(terms text, beyond int, newest_first boolean, most int) returns setof int
language plpgsql stable set enable_seqscan = off set jit = off as $$
begin
  if newest_first then
    ${find('<', 'desc')}
  else
    ${find('>', 'asc')}
  end if;
end $$`

/** SQLite's index of words has the leads in their order. On PostgreSQL its rows are written anew, about a minute for a million leads. */
export const migration: MigrationScript = {
  name: '0056-lead-blocks',
  up: {
    sqlite: [],
    postgresql: [
      trigger(terms),
      ...fillWith(terms),
      'drop function "leads_found"(text, int, boolean, int)',
      finderOf('', wordsTable),
    ],
  },
  down: {
    sqlite: [],
    postgresql: [
      trigger(formerly),
      ...fillWith(formerly),
      'drop function "leads_found"(text, text, int, boolean, int)',
      finderBefore,
    ],
  },
}
