import type { MigrationScript } from '../../platform/database/migrate.ts'

/** What was asked before: which activity's text it is about, and when it is due. */
const earlier = [
  'update approvals set due_at = expires_at',
  'update approvals set content_of = (select activity_id from outputs where id = approvals.output_id) where output_id is not null',
  `update approvals set content_of = (select min(l.activity_id) from approval_links l where l.approval_id = approvals.id and l.blocking)
   where content_of is null and type = 'content_review'`,
]

export const migration: MigrationScript = {
  name: '0010-verdicts',
  up: {
    sqlite: [
      'create table `review_hours` (`tenant_id` text not null primary key, `days` json not null, `from_minute` integer not null, `until_minute` integer not null, `updated_on` datetime not null)',
      'alter table `approvals` add column `due_at` datetime null',
      'alter table `approvals` add column `content_of` text null',
      'alter table `approvals` add column `edited` integer not null default false',
      'alter table `approvals` add column `replaced_by` text null',
      'alter table `approvals` add column `claimed_by_id` text null',
      'alter table `approvals` add column `claimed_by_name` text null',
      'alter table `approvals` add column `claimed_until` datetime null',
      'create index `approvals_by_due` on `approvals` (`tenant_id`, `status`, `risk_rank`, `due_at`, `id`)',
      'create index `approvals_by_verdict` on `approvals` (`tenant_id`, `resolved_at`)',
      'create index `approvals_by_content` on `approvals` (`content_of`, `id`)',
      'create index `feedback_by_what` on `feedback` (`tenant_id`, `content_kind`, `kind`, `id`)',
      ...earlier,
    ],
    postgresql: [
      'create table "review_hours" ("tenant_id" varchar(26) not null, "days" jsonb not null, "from_minute" int not null, "until_minute" int not null, "updated_on" timestamptz(3) not null, primary key ("tenant_id"))',
      'alter table "approvals" add "due_at" timestamptz(3) null, add "content_of" varchar(26) null, add "edited" boolean not null default false, add "replaced_by" varchar(26) null, add "claimed_by_id" varchar(255) null, add "claimed_by_name" varchar(255) null, add "claimed_until" timestamptz(3) null',
      'create index "approvals_by_due" on "approvals" ("tenant_id", "status", "risk_rank", "due_at", "id")',
      'create index "approvals_by_verdict" on "approvals" ("tenant_id", "resolved_at")',
      'create index "approvals_by_content" on "approvals" ("content_of", "id")',
      'create index "feedback_by_what" on "feedback" ("tenant_id", "content_kind", "kind", "id")',
      ...earlier,
    ],
  },
  down: {
    sqlite: [
      'drop table if exists `review_hours`',
      'drop index `approvals_by_due`',
      'drop index `approvals_by_verdict`',
      'drop index `approvals_by_content`',
      'alter table `approvals` drop column `due_at`',
      'alter table `approvals` drop column `content_of`',
      'alter table `approvals` drop column `edited`',
      'alter table `approvals` drop column `replaced_by`',
      'alter table `approvals` drop column `claimed_by_id`',
      'alter table `approvals` drop column `claimed_by_name`',
      'alter table `approvals` drop column `claimed_until`',
      'drop index `feedback_by_what`',
    ],
    postgresql: [
      'drop table if exists "review_hours" cascade',
      'drop index "approvals_by_due"',
      'drop index "approvals_by_verdict"',
      'drop index "approvals_by_content"',
      'alter table "approvals" drop column "due_at", drop column "content_of", drop column "edited", drop column "replaced_by", drop column "claimed_by_id", drop column "claimed_by_name", drop column "claimed_until"',
      'drop index "feedback_by_what"',
    ],
  },
}
