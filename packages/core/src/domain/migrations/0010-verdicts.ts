import type { MigrationScript } from '../../platform/database/migrate.ts'

/** What was asked about a text before it was kept which activity's text it is. */
const contentOf = [
  'update approvals set content_of = (select activity_id from outputs where id = approvals.output_id) where output_id is not null',
  `update approvals set content_of = (select min(l.activity_id) from approval_links l where l.approval_id = approvals.id and l.blocking)
   where content_of is null and type = 'content_review'`,
]

export const migration: MigrationScript = {
  name: '0010-verdicts',
  up: {
    sqlite: [
      'alter table `approvals` add column `content_of` text null',
      'alter table `approvals` add column `edited` integer not null default false',
      'alter table `approvals` add column `replaced_by` text null',
      'create index `approvals_by_content` on `approvals` (`content_of`, `id`)',
      'create index `feedback_by_what` on `feedback` (`tenant_id`, `content_kind`, `kind`, `id`)',
      ...contentOf,
    ],
    postgresql: [
      'alter table "approvals" add "content_of" varchar(26) null, add "edited" boolean not null default false, add "replaced_by" varchar(26) null',
      'create index "approvals_by_content" on "approvals" ("content_of", "id")',
      'create index "feedback_by_what" on "feedback" ("tenant_id", "content_kind", "kind", "id")',
      ...contentOf,
    ],
  },
  down: {
    sqlite: [
      'drop index `approvals_by_content`',
      'alter table `approvals` drop column `content_of`',
      'alter table `approvals` drop column `edited`',
      'alter table `approvals` drop column `replaced_by`',
      'drop index `feedback_by_what`',
    ],
    postgresql: [
      'drop index "approvals_by_content"',
      'alter table "approvals" drop column "content_of", drop column "edited", drop column "replaced_by"',
      'drop index "feedback_by_what"',
    ],
  },
}
