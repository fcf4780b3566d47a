import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0008-agent-sessions',
  up: {
    sqlite: [
      'create table `agent_sessions` (`id` text not null primary key, `tenant_id` text not null, `agent_role` text not null, `session_id` text not null, `run_id` text not null, `activity_id` text not null, `input_tokens` bigint not null, `output_tokens` bigint not null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `agent_sessions_latest` on `agent_sessions` (`tenant_id`, `agent_role`, `updated_on`)',
      'create index `agent_sessions_by_activity` on `agent_sessions` (`activity_id`, `updated_on`)',
      'create unique index `agent_sessions_name` on `agent_sessions` (`tenant_id`, `agent_role`, `session_id`)',
      "alter table `runs` add column `purpose` text not null default 'work'",
    ],
    postgresql: [
      'create table "agent_sessions" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "agent_role" varchar(255) not null, "session_id" varchar(255) not null, "run_id" varchar(26) not null, "activity_id" varchar(26) not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "agent_sessions_latest" on "agent_sessions" ("tenant_id", "agent_role", "updated_on")',
      'create index "agent_sessions_by_activity" on "agent_sessions" ("activity_id", "updated_on")',
      'alter table "agent_sessions" add constraint "agent_sessions_name" unique ("tenant_id", "agent_role", "session_id")',
      'alter table "runs" add "purpose" varchar(255) not null default \'work\'',
    ],
  },
  down: {
    sqlite: ['drop table if exists `agent_sessions`', 'alter table `runs` drop column `purpose`'],
    postgresql: ['drop table if exists "agent_sessions" cascade', 'alter table "runs" drop column "purpose"'],
  },
}
