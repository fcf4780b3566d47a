import type { CallInput, Reply } from '@copydesk/client'
import type { CopydeskOptions } from '@copydesk/core'
import { openPress, type Press } from './publishing.ts'

export type MailingItem = Reply<'dashboard', 'GET /mailings/:mailingId'>
type NewMailing = CallInput<'dashboard', 'POST /mailings'>['body']

/** A team that sends newsletters to its leads. */
export interface Newsroom extends Press {
  /** A newsletter that a person has approved. @returns its activity's id */
  newsletter(text?: string): Promise<string>
  /** Leads of those first names, each with an address of its own. @returns their ids */
  addLeads(...names: string[]): Promise<string[]>
  mail(activityId: string, more?: Partial<NewMailing>): Promise<MailingItem>
  showMailing(id: string): Promise<MailingItem>
  change(id: string, act: 'pause' | 'resume' | 'cancel'): Promise<MailingItem>
  /** Resolves when nothing is to be done at this instant. */
  quiet(): Promise<void>
  /** Moves time on by so many milliseconds, and waits for what is due then. */
  pass(ms: number): Promise<void>
}

export const newsletterText = `# May

**Subject:** News from the bakery

**Preview:** The ovens are on & hot

Dear {{firstName}},

the **ovens** are on: [see them](https://oats.example/rye). <script>alert(1)</script>
`

export async function openNewsroom(options: Partial<CopydeskOptions> = {}): Promise<Newsroom> {
  const press = await openPress(options)
  const { app, admin, clock } = press
  const quiet = async () => {
    const open = `select 1 as one from job where status = 'running' or (status = 'waiting' and run_at <= ?)`
    await app.until(async () => !(await app.db.sql.get(open, [clock.date()])), 'nothing is due')
  }
  return {
    ...press,
    quiet,
    newsletter: (text = newsletterText) => press.approved(text, 'email_newsletter'),
    async addLeads(...names) {
      const ids: string[] = []
      for (const firstName of names) {
        const body = {
          firstName,
          lastName: 'Field',
          email: `${firstName.replaceAll(/[^A-Za-z0-9]/g, '')}@Site.example`,
        }
        ids.push((await admin.call('dashboard.leads.create', { body })).id)
      }
      return ids
    },
    mail: (activityId, more = {}) =>
      admin.call('dashboard.mailings.create', { body: { activityId, ...more } }),
    showMailing: (mailingId) => admin.call('dashboard.mailings.get', { params: { mailingId } }),
    change: (mailingId, act) => admin.call(`dashboard.mailings.${act}`, { params: { mailingId } }),
    async pass(ms) {
      await quiet()
      clock.advance(ms)
      await quiet()
    },
  }
}
