import type { MigrationScript } from '../../platform/database/migrate.ts'

/** As of 0056. */
const begin = `r.tenant_id || lpad(to_hex(r.seq >> 14), 5, '0')`
const terms = `replace(r.words || ' §' || r.status || ' ¶' || replace(r.source, '_', ''), ' ', ' ' || ${begin})`
const vector = `array_to_tsvector(string_to_array(ltrim(${terms}), ' '))`
const replacing = 'on conflict (seq) do update set words = excluded.words'

const trigger = (name: string, statement: string) =>
  `create or replace function "${name}"() returns trigger language plpgsql as $$
begin
  ${statement};
  return null;
end $$`

const saved = (tables: string, name: string) =>
  `create trigger "leads_saved" after update on "leads" referencing ${tables} for each statement execute function "${name}"()`

/**
 * On PostgreSQL the words of new leads are added without a look whether they are there, which an import does not need, and those of a changed
 * lead are written again only where they are others.
 */
export const migration: MigrationScript = {
  name: '0077-lead-words-changed',
  up: {
    sqlite: [],
    postgresql: [
      trigger('leads_add_words', `insert into lead_words (seq, words) select r.seq, ${vector} from added r`),
      trigger(
        'leads_change_words',
        `insert into lead_words (seq, words) select r.seq, ${vector} from changed r join formerly f on f.seq = r.seq
   where (r.words, r.status, r.source) is distinct from (f.words, f.status, f.source) ${replacing}`,
      ),
      'drop trigger "leads_saved" on "leads"',
      saved('old table as formerly new table as changed', 'leads_change_words'),
    ],
  },
  down: {
    sqlite: [],
    postgresql: [
      'drop trigger "leads_saved" on "leads"',
      'drop function "leads_change_words"()',
      trigger(
        'leads_add_words',
        `insert into lead_words (seq, words) select r.seq, ${vector} from added r ${replacing}`,
      ),
      saved('new table as added', 'leads_add_words'),
    ],
  },
}
