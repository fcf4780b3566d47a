import type { MigrationScript } from '../../platform/database/migrate.ts'

const index = (quote: string) =>
  `create index ${quote}sequence_mails_by_message_id${quote} on ${quote}sequence_mails${quote} (${quote}message_id${quote}) where message_id is not null`

export const migration: MigrationScript = {
  name: '0075-sequences-by-platform',
  up: {
    sqlite: [
      'alter table `campaign_sequences` add column `channel_id` text null',
      'alter table `campaign_sequences` add column `held_until` datetime null',
      'alter table `campaign_sequences` add column `held_reason` text null',
      'alter table `sequence_mails` add column `message_id` text null',
      index('`'),
    ],
    postgresql: [
      'alter table "campaign_sequences" add "channel_id" varchar(26) null, add "held_until" timestamptz(3) null, add "held_reason" text null',
      'alter table "sequence_mails" add "message_id" text null',
      index('"'),
    ],
  },
  down: {
    sqlite: [
      'drop index `sequence_mails_by_message_id`',
      'alter table `sequence_mails` drop column `message_id`',
      'alter table `campaign_sequences` drop column `held_reason`',
      'alter table `campaign_sequences` drop column `held_until`',
      'alter table `campaign_sequences` drop column `channel_id`',
    ],
    postgresql: [
      'drop index "sequence_mails_by_message_id"',
      'alter table "sequence_mails" drop column "message_id"',
      'alter table "campaign_sequences" drop column "held_reason", drop column "held_until", drop column "channel_id"',
    ],
  },
}
