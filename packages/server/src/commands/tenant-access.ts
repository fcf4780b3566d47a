import type { SystemApi } from '@copydesk/core'
import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { everything, tenantId, userId } from './find.ts'
import { prepare } from './options.ts'

const named = '<tenant>'

/** `tenant mark-paid|activate|suspend|reinstate|impersonate`. */
export function tenantAccessCommands(group: Command): void {
  group
    .command('mark-paid')
    .description('record that a tenant has paid; its open invoices and subscription count as paid')
    .argument(named, tenantNaming)
    .requiredOption('--reason <text>', 'how the tenant paid, for the audit log')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      example('copydesk tenant mark-paid example.com --reason "bank transfer of 3 March" --yes'),
    )
    .action(markPaid)
  group
    .command('activate')
    .description('complete the onboarding of a tenant that has paid; its billing begins')
    .argument(named, tenantNaming)
    .addHelpText('after', example('copydesk tenant activate example.com'))
    .action(activate)
  group
    .command('suspend')
    .description('suspend a tenant: end its access at once and pause its agents')
    .argument(named, tenantNaming)
    .requiredOption('--reason <text>', 'reason, for the audit log')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk tenant suspend example.com --reason "unpaid since March" --yes'))
    .action(suspend)
  group
    .command('reinstate')
    .description('restore the access of a suspended tenant and the state of its agents')
    .argument(named, tenantNaming)
    .option('--note <text>', 'note, for the audit log')
    .addHelpText('after', example('copydesk tenant reinstate example.com --note "has paid"'))
    .action(reinstate)
  group
    .command('impersonate')
    .description("print a token for read-only access to a tenant's dashboard for 30 minutes")
    .argument(named, tenantNaming)
    .option('--as <id or e-mail>', 'the super-admin to whom the token belongs; needed when there are several')
    .addHelpText('after', example('copydesk tenant impersonate example.com --as you@example.com'))
    .action(impersonate)
}

async function markPaid(
  tenant: string,
  { reason, yes }: { reason: string; yes?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const question = `This marks every open invoice of ${tenant} as paid.`
  if (!(await confirmed(question, yes))) return
  const { status, ...done } = await withApp(config, async (copydesk) => {
    const { tenants } = copydesk.asSystem()
    const id = await tenantId(copydesk.asSystem(), tenant)
    const receipt = await tenants.overrideBilling(id, { action: 'mark_paid', reason })
    return { ...receipt, status: (await tenants.get(id)).status }
  })
  output.data({ ...done, status }, () => `${tenant} has paid and is ${status}.`)
  if (status === 'onboarding') output.done(`Activate it: copydesk tenant activate ${done.tenantId}`)
}

async function activate(tenant: string, _options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const done = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.tenants.activate(await tenantId(api, tenant))
  })
  output.data(done, () => done.message)
}

async function suspend(
  tenant: string,
  { reason, yes }: { reason: string; yes?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const question = `This ends every session of ${tenant} at once and pauses its agents.`
  if (!(await confirmed(question, yes))) return
  const done = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.tenants.suspend(await tenantId(api, tenant), reason)
  })
  output.data(done, () => `${tenant} is suspended; agents paused: ${done.agentsPaused}.`)
}

async function reinstate(tenant: string, { note }: { note?: string }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const done = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.tenants.reinstate(await tenantId(api, tenant), note)
  })
  output.data(done, () => `${tenant} is ${done.status} again; agents resumed: ${done.agentsResumed}.`)
}

async function impersonate(tenant: string, { as }: { as?: string }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const grant = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const id = await tenantId(api, tenant)
    return api.tenants.impersonate(id, { as: as ? await userId(api, as) : await onlySuperAdmin(api) })
  })
  output.data(grant, () => grant.impersonationToken)
  output.done(
    `The token gives read-only access to ${grant.dashboardUrl} for 30 minutes; every request is written to the audit log.`,
  )
}

async function onlySuperAdmin(api: SystemApi): Promise<string> {
  const found = await everything((page) =>
    api.users.list({ ...page, 'filter.role': 'super_admin', 'filter.status': 'active' }),
  )
  const [one] = found
  if (one && found.length === 1) return one.id
  throw wrongUsage(
    one
      ? 'There are several super-admins: name one with --as.'
      : 'There is no super-admin for whom to create the token.',
  )
}
