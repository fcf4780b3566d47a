import type { MigrationScript } from '../../platform/database/migrate.ts'

/**
 * PostgreSQL reads the words that wait to be taken into the index for each search, of every tenant: 4 MB of them, as many as wait by
 * default, took 25 ms each time. An import is as fast with fewer.
 */
export const migration: MigrationScript = {
  name: '0067-lead-words-waiting',
  up: {
    sqlite: [],
    postgresql: [
      'alter index "lead_words_index" set (gin_pending_list_limit = 256)',
      `select gin_clean_pending_list('lead_words_index')`,
    ],
  },
  down: {
    sqlite: [],
    postgresql: ['alter index "lead_words_index" reset (gin_pending_list_limit)'],
  },
}
