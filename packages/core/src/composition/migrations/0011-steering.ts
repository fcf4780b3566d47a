import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0011-steering',
  up: {
    sqlite: [
      'create index `activities_by_type` on `activities` (`tenant_id`, `type`, `id`)',
      'create index `activities_by_role` on `activities` (`tenant_id`, `agent_role`, `id`)',
      'create index `activities_by_assignee` on `activities` (`assignee_user_id`, `status`)',
      'create index `runs_by_agent` on `runs` (`tenant_id`, `agent_role`, `id`)',
    ],
    postgresql: [
      'create index "activities_by_type" on "activities" ("tenant_id", "type", "id")',
      'create index "activities_by_role" on "activities" ("tenant_id", "agent_role", "id")',
      'create index "activities_by_assignee" on "activities" ("assignee_user_id", "status")',
      'create index "runs_by_agent" on "runs" ("tenant_id", "agent_role", "id")',
    ],
  },
  down: {
    sqlite: [
      'drop index `activities_by_type`',
      'drop index `activities_by_role`',
      'drop index `activities_by_assignee`',
      'drop index `runs_by_agent`',
    ],
    postgresql: [
      'drop index "activities_by_type"',
      'drop index "activities_by_role"',
      'drop index "activities_by_assignee"',
      'drop index "runs_by_agent"',
    ],
  },
}
