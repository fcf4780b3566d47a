import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0050-change-outcomes',
  up: {
    sqlite: [
      'alter table `ad_change_sets` add column `outcomes` json null',
      'alter table `ad_change_sets` add column `outcome_at` datetime null',
      'create index `ad_change_sets_outcomes` on `ad_change_sets` (`outcome_at`) where outcome_at is not null',
    ],
    postgresql: [
      'alter table "ad_change_sets" add "outcomes" jsonb null, add "outcome_at" timestamptz(3) null',
      'create index "ad_change_sets_outcomes" on "ad_change_sets" ("outcome_at") where outcome_at is not null',
    ],
  },
  down: {
    sqlite: [
      'drop index `ad_change_sets_outcomes`',
      'alter table `ad_change_sets` drop column `outcomes`',
      'alter table `ad_change_sets` drop column `outcome_at`',
    ],
    postgresql: [
      'drop index "ad_change_sets_outcomes"',
      'alter table "ad_change_sets" drop column "outcomes", drop column "outcome_at"',
    ],
  },
}
