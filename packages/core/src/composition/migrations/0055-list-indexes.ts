import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0055-list-indexes',
  up: {
    sqlite: [
      'drop index `campaign_keywords_by_status`',
      'drop index `campaign_keywords_by_campaign`',
      'create index `campaign_keywords_by_status` on `campaign_keywords` (`campaign_id`, `status`, `id`, `tenant_id`)',
      'create index `campaign_keywords_by_campaign` on `campaign_keywords` (`campaign_id`, `id`, `tenant_id`)',
      'drop index `search_terms_sorted`',
      'drop index `search_terms_by_campaign`',
      'create index `search_terms_sorted` on `search_terms` (`campaign_id`, `classification`, `id`, `tenant_id`)',
      'create index `search_terms_by_campaign` on `search_terms` (`campaign_id`, `id`, `tenant_id`)',
    ],
    postgresql: [
      'drop index "campaign_keywords_by_campaign"',
      'drop index "campaign_keywords_by_status"',
      'create index "campaign_keywords_by_campaign" on "campaign_keywords" ("campaign_id", "id", "tenant_id")',
      'create index "campaign_keywords_by_status" on "campaign_keywords" ("campaign_id", "status", "id", "tenant_id")',
      'drop index "search_terms_by_campaign"',
      'drop index "search_terms_sorted"',
      'create index "search_terms_by_campaign" on "search_terms" ("campaign_id", "id", "tenant_id")',
      'create index "search_terms_sorted" on "search_terms" ("campaign_id", "classification", "id", "tenant_id")',
    ],
  },
  down: {
    sqlite: [
      'drop index `campaign_keywords_by_campaign`',
      'drop index `campaign_keywords_by_status`',
      'create index `campaign_keywords_by_campaign` on `campaign_keywords` (`campaign_id`, `id`)',
      'create index `campaign_keywords_by_status` on `campaign_keywords` (`campaign_id`, `status`, `id`)',
      'drop index `search_terms_by_campaign`',
      'drop index `search_terms_sorted`',
      'create index `search_terms_by_campaign` on `search_terms` (`campaign_id`, `id`)',
      'create index `search_terms_sorted` on `search_terms` (`campaign_id`, `classification`, `id`)',
    ],
    postgresql: [
      'drop index "campaign_keywords_by_campaign"',
      'drop index "campaign_keywords_by_status"',
      'create index "campaign_keywords_by_campaign" on "campaign_keywords" ("campaign_id", "id")',
      'create index "campaign_keywords_by_status" on "campaign_keywords" ("campaign_id", "status", "id")',
      'drop index "search_terms_by_campaign"',
      'drop index "search_terms_sorted"',
      'create index "search_terms_by_campaign" on "search_terms" ("campaign_id", "id")',
      'create index "search_terms_sorted" on "search_terms" ("campaign_id", "classification", "id")',
    ],
  },
}
