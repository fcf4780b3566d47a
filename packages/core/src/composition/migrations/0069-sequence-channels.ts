import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0069-sequence-channels',
  up: {
    sqlite: ["alter table `campaign_sequences` add column `channel` text not null default 'email'"],
    postgresql: [`alter table "campaign_sequences" add "channel" varchar(255) not null default 'email'`],
  },
  down: {
    sqlite: ['alter table `campaign_sequences` drop column `channel`'],
    postgresql: ['alter table "campaign_sequences" drop column "channel"'],
  },
}
