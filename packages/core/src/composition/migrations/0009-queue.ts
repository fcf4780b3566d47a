import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0009-queue',
  up: {
    sqlite: [
      'create table `recurring_slots` (`template_id` text not null, `tenant_id` text not null, `slot` datetime not null, `activity_id` text null, primary key (`template_id`, `tenant_id`))',
      'create table `recurring_templates` (`id` text not null primary key, `title` text not null, `agent_role` text not null, `cron` text not null, `prompt_template` text not null, `variables` json not null, `apply_to_tenants` text not null, `tenant_ids` json null, `plan_ids` json null, `status` text not null, `active_since` datetime not null, `last_run_at` datetime null, `created_by` text not null, `created_on` datetime not null, `updated_on` datetime not null)',
      'alter table `activities` add column `idle_runs` integer not null default 0',
      'alter table `deliverables` add column `planned_template_id` text null',
      'alter table `deliverables` add column `planned_version` integer null',
      "create index `job_dead` on `job` (`id`) where status = 'dead'",
      'alter table `runs` add column `failures` json null',
      'alter table `runs` add column `dead_lettered_at` datetime null',
      "create index `runs_failed` on `runs` (`completed_at`) where status in ('failed', 'timeout')",
      'create index `runs_dead_lettered` on `runs` (`id`) where dead_lettered_at is not null',
    ],
    postgresql: [
      'create table "recurring_slots" ("template_id" varchar(26) not null, "tenant_id" varchar(26) not null, "slot" timestamptz(3) not null, "activity_id" varchar(26) null, primary key ("template_id", "tenant_id"))',
      'create table "recurring_templates" ("id" varchar(26) not null, "title" varchar(255) not null, "agent_role" varchar(255) not null, "cron" varchar(255) not null, "prompt_template" text not null, "variables" jsonb not null, "apply_to_tenants" varchar(255) not null, "tenant_ids" jsonb null, "plan_ids" jsonb null, "status" varchar(255) not null, "active_since" timestamptz(3) not null, "last_run_at" timestamptz(3) null, "created_by" varchar(255) not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'alter table "activities" add "idle_runs" int not null default 0',
      'alter table "deliverables" add "planned_template_id" varchar(26) null, add "planned_version" int null',
      'create index "job_dead" on "job" ("id") where status = \'dead\'',
      'alter table "runs" add "failures" jsonb null, add "dead_lettered_at" timestamptz(3) null',
      'create index "runs_failed" on "runs" ("completed_at") where status in (\'failed\', \'timeout\')',
      'create index "runs_dead_lettered" on "runs" ("id") where dead_lettered_at is not null',
    ],
  },
  down: {
    sqlite: [
      'drop table if exists `recurring_slots`',
      'drop table if exists `recurring_templates`',
      'alter table `activities` drop column `idle_runs`',
      'alter table `deliverables` drop column `planned_template_id`',
      'alter table `deliverables` drop column `planned_version`',
      'drop index `job_dead`',
      'drop index `runs_failed`',
      'drop index `runs_dead_lettered`',
      'alter table `runs` drop column `failures`',
      'alter table `runs` drop column `dead_lettered_at`',
    ],
    postgresql: [
      'drop table if exists "recurring_slots" cascade',
      'drop table if exists "recurring_templates" cascade',
      'alter table "activities" drop column "idle_runs"',
      'alter table "deliverables" drop column "planned_template_id", drop column "planned_version"',
      'drop index "job_dead"',
      'drop index "runs_failed"',
      'drop index "runs_dead_lettered"',
      'alter table "runs" drop column "failures", drop column "dead_lettered_at"',
    ],
  },
}
