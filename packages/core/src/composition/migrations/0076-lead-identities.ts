import type { MigrationScript } from '../../platform/database/migrate.ts'

const columns = '`tenant_id`, `identity`'
const mergeParts = (count: number) =>
  `insert into \`lead_words\` (\`lead_words\`, rank) values ('automerge', ${count})`
const identities = (name: string) =>
  `create table \`${name}\` (\`tenant_id\` text not null, \`identity\` text not null, \`seq\` integer not null, primary key (${columns})) without rowid`
const add = 'insert into `lead_identities_added` values (new.tenant_id, new.identity, new.seq);'
const remove = ['lead_identities', 'lead_identities_added']
  .map((name) => `delete from \`${name}\` where tenant_id = old.tenant_id and identity = old.identity;`)
  .join(' ')

/**
 * On SQLite what no two leads of a tenant share is in two tables in place of an index: what comes goes into the small one, and imports
 * take what is there over into the large one, neighbours together. Addresses come in no order, and so nearly each one changed another page
 * of the index, which was half of the work of an import. An import adds its leads by itself, as it does their words.
 * The index of words merges eight of its parts at a time, not four: so each word is written again less often, and a search reads a few more.
 */
export const migration: MigrationScript = {
  name: '0076-lead-identities',
  up: {
    sqlite: [
      identities('lead_identities'),
      identities('lead_identities_added'),
      `insert into \`lead_identities\` select ${columns}, \`seq\` from \`leads\` where identity is not null order by ${columns}`,
      'drop index `leads_identity`',
      "create trigger `lead_identities_unique` before insert on `lead_identities_added` when exists (select 1 from `lead_identities` i where i.tenant_id = new.tenant_id and i.identity = new.identity) begin select raise(abort, 'UNIQUE constraint failed: leads.tenant_id, leads.identity'); end",
      `create trigger \`leads_identified\` after insert on \`leads\` when new.import_id is null and new.identity is not null begin ${add} end`,
      `create trigger \`leads_identity_gone\` after delete on \`leads\` when old.identity is not null begin ${remove} end`,
      `create trigger \`leads_identity_left\` after update of \`identity\` on \`leads\` when old.identity is not null and old.identity is not new.identity begin ${remove} end`,
      `create trigger \`leads_identity_taken\` after update of \`identity\` on \`leads\` when new.identity is not null and old.identity is not new.identity begin ${add} end`,
      mergeParts(8),
    ],
    postgresql: [],
  },
  down: {
    sqlite: [
      mergeParts(4),
      ...['leads_identified', 'leads_identity_gone', 'leads_identity_left', 'leads_identity_taken'].map(
        (name) => `drop trigger \`${name}\``,
      ),
      'drop table `lead_identities_added`',
      'drop table `lead_identities`',
      'create unique index `leads_identity` on `leads` (`tenant_id`, `identity`)',
    ],
    postgresql: [],
  },
}
