import { password } from '../../kit/app.ts'
import type { TestMailServer } from '../../kit/mail.ts'
import type { ReportHarness } from './fixtures.ts'

export const byServer = (port: number) => ({
  mail: { from: 'Copydesk <desk@sender.example>', smtp: { host: '127.0.0.1', port } },
})

/** The address of the tenant's admin. */
export const adminAddress = 'admin.1.tenant-1@test.example'

export const deliverReport = (
  { team }: ReportHarness,
  reportId: string,
  body: { to: string[]; subject?: string; message?: string },
) => team.reviewer.call('dm', 'POST /reports/:reportId/deliver', { params: { reportId }, body })

export const shownReport = ({ team }: ReportHarness, reportId: string) =>
  team.reviewer.call('dm', 'GET /reports/:reportId', { params: { reportId } })

/** Waits until no mail of a report is on its way any more. */
export const settledMails = (harness: ReportHarness) =>
  harness.app.until(
    async () =>
      (await harness.count(
        `select count(*) as n from job where kind = 'mail.report' and status in ('waiting', 'running')`,
      )) === 0,
    'every mail is settled',
  )

export const addressesOf = ({ taken }: TestMailServer) => taken.flatMap(({ to }) => to).toSorted()

/** Makes people of the tenant. */
export async function joinTenant({ app, team }: ReportHarness, ...emails: string[]) {
  for (const email of emails)
    await app.copydesk
      .asSystem()
      .users.create({ email, name: 'Bo Client', password, role: 'member', tenantId: team.tenantId })
}
