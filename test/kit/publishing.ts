import type { CallInput, Reply } from '@copydesk/client'
import type { CopydeskOptions } from '@copydesk/core'
import { adminOf } from './app.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { type AgentHarness, createAgentHarness } from './runtime.ts'
import { addVersion } from './versions.ts'
import type { WordPressServer } from './wordpress-server.ts'

type PublicationItem = Reply<'dashboard', 'GET /publications'>['data'][number]
type PublicationView = Reply<'dashboard', 'GET /publications/:publicationId'>
type PieceType = CallInput<'dashboard', 'POST /campaigns'>['body']['deliverables'][number]['type']
type Verdict = CallInput<'dashboard', 'POST /publications/:publicationId/reconcile'>['body']

/** A team that publishes: its agents are played by the test, and time moves when a test waits. */
export interface Press extends AgentHarness {
  clock: TestClock
  /** The team's admin, in process: the tokens of people end sooner than these tests. */
  admin: ReturnType<AgentHarness['app']['copydesk']['as']>
  /** Connects the team's website. @returns its channel's id */
  connect(site: Pick<WordPressServer, 'url' | 'login'>): Promise<string>
  disconnect(channelId: string): Promise<unknown>
  /** A piece that a person has approved. @returns its activity's id */
  approved(text: string, type?: PieceType): Promise<string>
  publish(activityId: string, channelId: string, scheduleFor?: Date): Promise<PublicationItem>
  /** Moves time on until a publication is in one of these statuses. */
  reaches(id: string, ...statuses: PublicationItem['status'][]): Promise<PublicationItem>
  /** Moves time on until nothing more happens to a publication by itself. */
  rests(id: string): Promise<PublicationItem>
  /** A newer version of a piece, which a person has approved or not. */
  rewrite(activityId: string, text: string, how?: { isApproved: boolean }): Promise<void>
  /** Has the newest text take the place of the one that is out, and moves time on until nothing more happens by itself. */
  update(id: string): Promise<PublicationItem>
  /** Moves time on until no newer text waits by itself. */
  settles(id: string): Promise<PublicationItem>
  show(id: string): Promise<PublicationView>
  list(
    query: CallInput<'dashboard', 'GET /publications'>['query'],
  ): Promise<Reply<'dashboard', 'GET /publications'>>
  act(
    id: string,
    act: 'retry' | 'cancel' | 'update' | 'drop_change' | 'reconcile',
    body?: Verdict,
  ): Promise<PublicationItem>
  /** Titles of what the admin was told. */
  notices(): Promise<string[]>
}

export async function openPress(options: Partial<CopydeskOptions> = {}): Promise<Press> {
  const clock = createTestClock()
  const harness = await createAgentHarness({ clock, ...options })
  const { app, team } = harness
  const admin = app.copydesk.as(adminOf(team))
  const show = (publicationId: string) =>
    admin.call('dashboard.publications.get', { params: { publicationId } })
  const moveOn = (id: string, isThere: (publication: PublicationItem) => boolean, words: string) => {
    let quiet = 0
    return app.until(async () => {
      // Time stands still while a job is running, and may not outrun the lease of one that is being taken: the machine may be busy.
      const open = `select count(*) as n from job where status = 'running' and lease_until > ?`
      const publication = await show(id)
      const nextAt = publication.nextAt ?? publication.change?.nextAt
      const waitMs = Date.parse(nextAt ?? '') - clock.now() || 0
      quiet = (await harness.count(open, clock.date())) === 0 ? quiet + 1 : 0
      if (quiet > 1) {
        quiet = 0
        clock.advance(Math.max(120_000, waitMs))
      }
      return isThere(publication) && publication
    }, `publication ${id} is ${words}`)
  }
  const settles = (id: string) =>
    moveOn(
      id,
      ({ change }) => !change || change.status === 'failed' || change.status === 'held',
      'changed, or not',
    )
  return {
    ...harness,
    clock,
    admin,
    show,
    settles,
    async update(publicationId) {
      await admin.call('dashboard.publications.update', { params: { publicationId } })
      return settles(publicationId)
    },
    rewrite: (activityId, text, { isApproved } = { isApproved: true }) =>
      addVersion(app.db, { activityId, text, isApproved, now: clock.date() }),
    list: (query = {}) => admin.call('dashboard.publications.list', { query }),
    async connect({ url, login }) {
      const body = { server: url, ...login }
      await admin.call('dashboard.integrations.credentials', { params: { platform: 'cms_site' }, body })
      const { data } = await admin.call('dashboard.channels.list', {})
      return data.find(({ type }) => type === 'cms_site')?.id ?? ''
    },
    disconnect: (channelId) => admin.call('dashboard.channels.disconnect', { params: { channelId } }),
    async approved(text, type = 'social_post') {
      const deliverables = [{ type, quantity: 1 }]
      await admin.call('dashboard.campaigns.create', {
        body: { name: 'Spring', brief: '# Oats', deliverables },
      })
      // A newsletter has an outline before its text, and a blog post its research.
      if (type === 'email_newsletter' || type === 'blog_post')
        await (await harness.next(clock)).deliver('# Outline')
      const agent = await harness.next(clock)
      await agent.deliver(text)
      const { id } = await harness.activityOf(agent.runId)
      const { data } = await admin.call('dashboard.approvals.list', { query: { 'filter.status': 'pending' } })
      const params = { approvalId: data[0]?.id ?? '' }
      await admin.call('dashboard.approvals.resolve', { params, body: { resolution: 'approved' } })
      const last = await harness.next(clock)
      await last.deliver(text)
      return id
    },
    publish: (activityId, channelId, scheduleFor) =>
      admin.call('dashboard.publications.create', {
        body: { activityId, channelId, ...(scheduleFor && { scheduleFor: scheduleFor.toISOString() }) },
      }),
    reaches: (id, ...statuses) =>
      moveOn(id, ({ status }) => statuses.includes(status), statuses.join(' or ')),
    rests: (id) =>
      moveOn(
        id,
        ({ status, needsAnswer }) => needsAnswer || !['scheduled', 'sending', 'unknown'].includes(status),
        'at rest',
      ),
    act: (id, act, body = {}) => {
      const params = { publicationId: id }
      return act === 'reconcile'
        ? admin.call('dashboard.publications.reconcile', { params, body })
        : admin.call(`dashboard.publications.${act}`, { params })
    },
    async notices() {
      const rows = await app.db.sql.all<{ title: string }>(
        `select title from notifications where user_id = ? and type = 'activity_failed' order by id`,
        [team.adminId],
      )
      return rows.map(({ title }) => title)
    },
  }
}
