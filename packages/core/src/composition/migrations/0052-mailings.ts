import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0052-mailings',
  up: {
    sqlite: [
      'alter table `campaign_sequences` add column `activity_id` text null',
      'alter table `campaign_sequences` add column `content_hash` text null',
      'create index `campaign_sequences_by_activity` on `campaign_sequences` (`activity_id`) where activity_id is not null',
    ],
    postgresql: [
      'alter table "campaign_sequences" add "activity_id" varchar(26) null, add "content_hash" varchar(64) null',
      'create index "campaign_sequences_by_activity" on "campaign_sequences" ("activity_id") where activity_id is not null',
    ],
  },
  // What earlier versions would take for a sequence goes first.
  down: {
    sqlite: [
      "delete from `sequence_mails` where `sequence_id` in (select `id` from `campaign_sequences` where `kind` = 'mailing')",
      "delete from `sequence_contacts` where `sequence_id` in (select `id` from `campaign_sequences` where `kind` = 'mailing')",
      "delete from `sequence_steps` where `sequence_id` in (select `id` from `campaign_sequences` where `kind` = 'mailing')",
      "delete from `campaign_sequences` where `kind` = 'mailing'",
      'drop index `campaign_sequences_by_activity`',
      'alter table `campaign_sequences` drop column `activity_id`',
      'alter table `campaign_sequences` drop column `content_hash`',
    ],
    postgresql: [
      'delete from "sequence_mails" where "sequence_id" in (select "id" from "campaign_sequences" where "kind" = \'mailing\')',
      'delete from "sequence_contacts" where "sequence_id" in (select "id" from "campaign_sequences" where "kind" = \'mailing\')',
      'delete from "sequence_steps" where "sequence_id" in (select "id" from "campaign_sequences" where "kind" = \'mailing\')',
      'delete from "campaign_sequences" where "kind" = \'mailing\'',
      'drop index "campaign_sequences_by_activity"',
      'alter table "campaign_sequences" drop column "activity_id", drop column "content_hash"',
    ],
  },
}
