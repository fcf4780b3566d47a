import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0057-dated-mails',
  up: {
    sqlite: [
      'create index `campaign_sequences_dated` on `campaign_sequences` (`tenant_id`, `starts_at`, `id`) where starts_at is not null',
      "create index `campaign_sequences_at_once` on `campaign_sequences` (`tenant_id`, `created_on`, `id`) where kind = 'mailing' and starts_at is null",
    ],
    postgresql: [
      'create index "campaign_sequences_dated" on "campaign_sequences" ("tenant_id", "starts_at", "id") where starts_at is not null',
      `create index "campaign_sequences_at_once" on "campaign_sequences" ("tenant_id", "created_on", "id") where kind = 'mailing' and starts_at is null`,
    ],
  },
  down: {
    sqlite: ['drop index `campaign_sequences_dated`', 'drop index `campaign_sequences_at_once`'],
    postgresql: ['drop index "campaign_sequences_dated"', 'drop index "campaign_sequences_at_once"'],
  },
}
