import type { Team, TestApp } from './app.ts'
import type { Dispatch } from './runtime.ts'
import { campaignIn } from './seeded-campaigns.ts'
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
  /** An activity whose newest text was approved, and goes nowhere yet. */
  approved: string
  /** Activities in progress, of which the last is about to be paused. */
  inProgress: readonly string[]
  /** A campaign that waits for the client, and a draft that has a group of people. */
  forClient: string
  inPreparation: string
  /** A campaign of paid ads that runs at no platform. */
  unlinked: string
  /** A campaign by e-mail that is active. */
  byMail: string
  /** A campaign with review requests. */
  forReviews: string
  /** A campaign with an outreach mail that was approved. */
  withOutreach: string
  /** A newsletter that was approved, and goes nowhere yet. */
  newsletter: string
  /** A mailing that waits for its time, and one that is paused. */
  mailings: readonly string[]
}

const perTenant = [
  'blog_posts',
  'campaigns',
  'campaign_audiences',
  'ad_groups',
  'campaign_keywords',
  'negative_keywords',
  'search_terms',
  'ad_change_sets',
  'campaign_recommendations',
  'campaign_sequences',
  'sequence_steps',
  'content_requests',
  'channel_connections',
  'deliverables',
  'periods',
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
  'assets',
  'datasets',
  'knowledge_files',
  'crawls',
  'conversations',
  'leads',
  'lead_imports',
  'lead_forms',
  'invoices',
  'webhooks',
  'webhook_deliveries',
  'publications',
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
    forClient: await campaignIn(app, team, 'client_review'),
    inPreparation: await campaignIn(app, team, 'dm_review'),
    unlinked: await campaignIn(app, team, 'draft'),
    byMail: await campaignIn(app, team, 'active', 'email_marketing'),
    forReviews: await campaignIn(app, team, 'active', 'review_generation'),
    withOutreach: await withOutreach(app, team),
    newsletter:
      (
        await activities(
          app,
          team,
          `${isNewsletter} and id in (select content_of from approvals where status = 'approved')
             and id not in (select activity_id from campaign_sequences where activity_id is not null)`,
        )
      )[0] ?? '',
    mailings: await mailingsOf(app, team),
    approved: (await approvedTexts(app, team)).at(-1) ?? '',
    inProgress: await activities(app, team, `status = 'in_progress'`),
    atWork: dispatches.filter(({ tenantId, taskId }) => tenantId === team.tenantId && !failed.has(taskId)),
  }
}

async function withOutreach(app: TestApp, { tenantId }: Team): Promise<string> {
  const row = await app.db.sql.get<{ id: string }>(
    'select campaign_id as id from outreach_mails where tenant_id = ?',
    [tenantId],
  )
  return row?.id ?? ''
}

const isNewsletter = `deliverable_type = 'email_newsletter' and is_final_step`

async function mailingsOf(app: TestApp, { tenantId }: Team): Promise<string[]> {
  const rows = await app.db.sql.all<{ id: string }>(
    `select id from campaign_sequences where tenant_id = ? and kind = 'mailing' order by id`,
    [tenantId],
  )
  return rows.map(({ id }) => id)
}

async function approvedTexts(app: TestApp, { tenantId }: Team): Promise<string[]> {
  const rows = await app.db.sql.all<{ id: string }>(
    `select content_of as id from approvals where tenant_id = ? and status = 'approved' and content_of is not null
       and content_of not in (select activity_id from publications)
       and content_of not in (select id from activities where ${isNewsletter}) order by id`,
    [tenantId],
  )
  return rows.map(({ id }) => id)
}
