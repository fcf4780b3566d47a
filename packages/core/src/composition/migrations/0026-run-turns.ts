import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0026-run-turns',
  up: {
    sqlite: [
      'alter table `runs` add column `turn` datetime null',
      "update `runs` set `turn` = `created_on` - `priority` * 90000 where open = true and purpose = 'work'",
      "create index `runs_queue` on `runs` (`tenant_id`, `agent_role`, `turn`, `id`) where open = true and status = 'pending'",
    ],
    postgresql: [
      'alter table "runs" add "turn" timestamptz(3) null',
      `update "runs" set "turn" = "created_on" - "priority" * interval '90 seconds' where open = true and purpose = 'work'`,
      `create index "runs_queue" on "runs" ("tenant_id", "agent_role", "turn", "id") where open = true and status = 'pending'`,
    ],
  },
  down: {
    sqlite: ['drop index `runs_queue`', 'alter table `runs` drop column `turn`'],
    postgresql: ['drop index "runs_queue"', 'alter table "runs" drop column "turn"'],
  },
}
