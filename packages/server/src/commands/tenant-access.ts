import type { Api } from '@copydesk/core'
import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { wrongUsage } from '@copydesk/terminal/failure'
import { everything, tenantId, userId } from './find.ts'
import { example } from '@copydesk/terminal/help'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { confirmed } from '@copydesk/terminal/asking'
import { prepare } from './options.ts'

const named = '<tenant>'

/** `tenant mark-paid|activate|suspend|reinstate|impersonate`. */
export function tenantAccessCommands(group: Command): void {
  group
    .command('mark-paid')
    .description('say that a tenant has paid what it owes; its subscription counts as paid')
    .argument(named, tenantNaming)
    .requiredOption('--reason <text>', 'how it was paid, for the audit log')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      example('copydesk tenant mark-paid example.com --reason "bank transfer of 3 March" --yes'),
    )
    .action(markPaid)
  group
    .command('activate')
    .description('end the onboarding of a tenant that has paid; its billing begins')
    .argument(named, tenantNaming)
    .addHelpText('after', example('copydesk tenant activate example.com'))
    .action(activate)
  group
    .command('suspend')
    .description('shut a tenant out at once and pause its agents')
    .argument(named, tenantNaming)
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('copydesk tenant suspend example.com --reason "unpaid since March" --yes'))
    .action(suspend)
  group
    .command('reinstate')
    .description('let a suspended tenant in again; its agents are what they were')
    .argument(named, tenantNaming)
    .option('--note <text>', 'for the audit log')
    .addHelpText('after', example('copydesk tenant reinstate example.com --note "has paid"'))
    .action(reinstate)
  group
    .command('impersonate')
    .description('print a token that shows the tenant as its admin sees it, for 30 minutes, to read only')
    .argument(named, tenantNaming)
    .option('--as <id or e-mail>', 'the super-admin who looks; needed when there are several')
    .addHelpText('after', example('copydesk tenant impersonate example.com --as you@example.com'))
    .action(impersonate)
}

async function markPaid(
  tenant: string,
  { reason, yes }: { reason: string; yes?: true },
  command: Command,
): Promise<void> {
  const { config, talk } = prepare(command)
  const question = `This settles every open invoice of ${tenant}.`
  if (!(await confirmed(question, yes))) return
  const { status, ...done } = await withApp(config, async (copydesk) => {
    const { tenants } = copydesk.asSystem()
    const id = await tenantId(copydesk.asSystem(), tenant)
    const receipt = await tenants.overrideBilling(id, { action: 'mark_paid', reason })
    return { ...receipt, status: (await tenants.get(id)).status }
  })
  talk.data({ ...done, status }, () => `${tenant} has paid and is ${status}.`)
  if (status === 'onboarding') talk.done(`Activate it: copydesk tenant activate ${done.tenantId}`)
}

async function activate(tenant: string, _options: object, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  const done = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.tenants.activate(await tenantId(api, tenant))
  })
  talk.data(done, () => done.message)
}

async function suspend(
  tenant: string,
  { reason, yes }: { reason: string; yes?: true },
  command: Command,
): Promise<void> {
  const { config, talk } = prepare(command)
  const question = `This ends every session of ${tenant} at once and pauses its agents.`
  if (!(await confirmed(question, yes))) return
  const done = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.tenants.suspend(await tenantId(api, tenant), reason)
  })
  talk.data(done, () => `${tenant} is suspended; agents paused: ${done.agentsPaused}.`)
}

async function reinstate(tenant: string, { note }: { note?: string }, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  const done = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.tenants.reinstate(await tenantId(api, tenant), note)
  })
  talk.data(done, () => `${tenant} is ${done.status} again; agents resumed: ${done.agentsResumed}.`)
}

async function impersonate(tenant: string, { as }: { as?: string }, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  const grant = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const id = await tenantId(api, tenant)
    return api.tenants.impersonate(id, { as: as ? await userId(api, as) : await onlySuperAdmin(api) })
  })
  talk.data(grant, () => grant.impersonationToken)
  talk.done(`The token reads ${grant.dashboardUrl} for 30 minutes; everything it reads is on the record.`)
}

async function onlySuperAdmin(api: Api): Promise<string> {
  const found = await everything((page) =>
    api.users.list({ ...page, 'filter.role': 'super_admin', 'filter.status': 'active' }),
  )
  const [one] = found
  if (one && found.length === 1) return one.id
  throw wrongUsage(
    one
      ? 'There are several super-admins: say who looks with --as.'
      : 'There is no super-admin who could look.',
  )
}
