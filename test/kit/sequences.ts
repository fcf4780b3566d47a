import type { CallInput, Reply } from '@copydesk/client'
import type { CopydeskOptions } from '@copydesk/core'
import { adminOf, createTestApp, type Team, type TestApp } from './app.ts'
import { createTestClock, type TestClock } from './clock.ts'

export type Sequence = Reply<'tenant', 'POST /campaigns/:campaignId/sequences'>
type NewSequence = CallInput<'tenant', 'POST /campaigns/:campaignId/sequences'>['body']

/** A team with an active campaign by e-mail, and a clock that stands still. */
export interface MailDesk extends AsyncDisposable {
  app: TestApp
  team: Team
  clock: TestClock
  campaignId: string
  /** In process: the tokens of people end sooner than sequences. */
  people: Record<'admin' | 'member', ReturnType<TestApp['copydesk']['as']>>
  create(input?: Partial<NewSequence>, by?: 'admin' | 'member'): Promise<Sequence>
  activate(sequenceId: string, by?: 'admin' | 'member', contentHash?: string): Promise<Sequence>
  change(
    sequence: Sequence,
    position: number,
    body: { subject?: string; body?: string; delay?: number },
  ): Promise<Sequence>
  show(sequenceId: string): Promise<Sequence>
  /** Leads of those first names, each with an address of its own. @returns their ids */
  addLeads(...names: string[]): Promise<string[]>
  setCampaign(status: 'active' | 'paused'): Promise<unknown>
  /** Resolves when nothing is to be done at this instant. */
  rests(): Promise<void>
  /** Moves time on by so many milliseconds, and waits for what is due then. */
  pass(ms: number): Promise<void>
}

export const minute = 60_000
export const day = 86_400_000

export const steps = [
  {
    subject: 'Hello {{firstName}}',
    body: 'Dear {{firstName}},\n\nthe ovens are on: https://oats.example/rye.',
    delay: 0,
  },
  { subject: 'Still there?', body: 'We bake at night.', delay: 3 },
]

export async function openMailDesk(options: Partial<CopydeskOptions> = {}): Promise<MailDesk> {
  const clock = createTestClock()
  const app = await createTestApp({ clock, ...options })
  const team = await app.team('Oats & Co')
  const { id: campaignId } = await team.member.call('tenant', 'POST /campaigns', {
    body: { name: 'Letters', type: 'email_marketing', channel: ['email'], goal: 'Sell' },
  })
  const params = { campaignId }
  const admin = { ...adminOf(team), name: 'Ada Admin' }
  const people = {
    admin: app.copydesk.as(admin),
    member: app.copydesk.as({ ...admin, role: 'member' }),
  }
  const setCampaign = (status: 'active' | 'paused') =>
    app.db.write((tx) => tx.run('update campaigns set status = ? where id = ?', [status, campaignId]))
  await setCampaign('active')
  const rests = async () => {
    const open = `select 1 as one from job where status = 'running' or (status = 'waiting' and run_at <= ?)`
    await app.until(async () => !(await app.db.sql.get(open, [clock.date()])), 'nothing is due')
  }
  return {
    app,
    team,
    clock,
    campaignId,
    people,
    setCampaign,
    rests,
    create: (input = {}, by = 'admin') =>
      people[by].call('tenant.campaigns.add_sequence', {
        params,
        body: { name: 'Welcome', triggerType: 'manual', steps, ...input },
      }),
    activate: (sequenceId, by = 'admin', contentHash?: string) =>
      people[by].call('tenant.campaigns.activate_sequence', {
        params: { ...params, sequenceId },
        body: contentHash === undefined ? {} : { contentHash },
      }),
    change: ({ id, steps: all }, position, body) =>
      people.member.call('tenant.campaigns.change_sequence_step', {
        params: { ...params, sequenceId: id, stepId: all[position]?.id ?? '' },
        body,
      }),
    async show(sequenceId) {
      const { data } = await people.member.call('tenant.campaigns.sequences', { params })
      const found = data.find(({ id }) => id === sequenceId)
      if (!found) throw new Error('The sequence is not listed')
      return found
    },
    async addLeads(...names) {
      const ids: string[] = []
      for (const firstName of names) {
        const body = { firstName, lastName: 'Field', email: `${firstName}@Site.example` }
        ids.push((await people.member.call('dashboard.leads.create', { body })).id)
      }
      return ids
    },
    async pass(ms) {
      await rests()
      clock.advance(ms)
      await rests()
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}
