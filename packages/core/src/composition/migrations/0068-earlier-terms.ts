import type { MigrationScript } from '../../platform/database/migrate.ts'

/** How usage was priced earlier in the period that is being worked in. */
export const migration: MigrationScript = {
  name: '0068-earlier-terms',
  up: {
    sqlite: ['alter table `subscriptions` add column `earlier_terms` json null'],
    postgresql: ['alter table "subscriptions" add "earlier_terms" jsonb null'],
  },
  down: {
    sqlite: ['alter table `subscriptions` drop column `earlier_terms`'],
    postgresql: ['alter table "subscriptions" drop column "earlier_terms"'],
  },
}
