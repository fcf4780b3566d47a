import type { Team, TestApp } from './app.ts'
import type { Dispatch } from './runtime.ts'
import { askForConsent, registerDevice } from './seeded-people.ts'
import { activities, idsOf } from './seeded-work.ts'

/** A tenant with something of every kind. */
export interface SeededTenant extends Team {
  /** Of its admin. */
  email: string
  /** Of its admin's phone. */
  deviceId: string
  /** What an assistant wants to do in the name of its reviewer. */
  consentId: string
  /** Ids by table, oldest first. */
  ids: Readonly<Record<string, readonly string[]>>
  /** Runs that an external runtime has been given and has not answered. */
  atWork: readonly Dispatch[]
  /** Activities that have failed, and such that have an output. */
  failed: readonly string[]
  written: readonly string[]
  /** Activities in progress, of which the last is about to be paused. */
  inProgress: readonly string[]
}

const perTenant = [
  'blog_posts',
  'campaigns',
  'content_requests',
  'channel_connections',
  'deliverables',
  'activities',
  'approvals',
  'runs',
  'users',
  'outputs',
  'reports',
  'invitations',
  'skills',
  'goals',
  'documents',
  'datasets',
  'knowledge_files',
  'crawls',
  'conversations',
  'leads',
  'lead_imports',
  'webhooks',
  'webhook_deliveries',
]

/**
 * Looks up what a team has, and lets it register a phone and ask for a consent.
 * @param word is contained in all of it
 */
export async function seededTenant(
  app: TestApp,
  team: Team,
  about: {
    email: string
    word: string
    appVersion: string
    dispatches: readonly Dispatch[]
    failed: ReadonlySet<string>
  },
): Promise<SeededTenant> {
  const { email, word, appVersion, dispatches, failed } = about
  return {
    ...team,
    ids: Object.fromEntries(
      await Promise.all(
        perTenant.map(async (table) => [table, await idsOf(app, table, team.tenantId)] as const),
      ),
    ),
    email,
    deviceId: await registerDevice(team.admin, appVersion),
    consentId: await askForConsent(app, team, word),
    failed: await activities(app, team, `status = 'failed'`),
    written: await activities(app, team, 'id in (select activity_id from outputs)'),
    inProgress: await activities(app, team, `status = 'in_progress'`),
    atWork: dispatches.filter(({ tenantId, taskId }) => tenantId === team.tenantId && !failed.has(taskId)),
  }
}
