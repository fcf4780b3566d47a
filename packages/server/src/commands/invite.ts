import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { neededTenantId, tenantId } from './find.ts'
import { prepare } from './options.ts'

const roles = ['admin', 'member'] as const

/** `invite list|resend|revoke`. */
export function inviteCommands(program: Command): void {
  const group = program
    .command('invite')
    .description('invitations that were sent; `user invite` sends one')
    .addHelpText('after', example('copydesk invite list'))
  group
    .command('list')
    .description('list invitations, all or those of a tenant')
    .option('--tenant <tenant>', `only invitations to this tenant: ${tenantNaming}`)
    .addHelpText('after', example('copydesk invite list --json'))
    .action(list)
  group
    .command('resend')
    .description('send an invitation again; the link of the earlier e-mail becomes invalid')
    .argument('<id>', 'id of the invitation, as `invite list` shows it')
    .addHelpText('after', example('copydesk invite resend 01J9ZX6T4QH8C3V5N7M2K0B1AD'))
    .action(resend)
  group
    .command('revoke')
    .description('revoke an invitation')
    .argument('<id>', 'id of the invitation, as `invite list` shows it')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk invite revoke 01J9ZX6T4QH8C3V5N7M2K0B1AD --yes'))
    .action(revoke)
}

/** `user invite`. */
export function userInviteCommand(group: Command): void {
  group
    .command('invite')
    .description('invite a person to a tenant by e-mail; the person chooses the password')
    .requiredOption('--email <address>', 'e-mail address to log in with')
    .addOption(new Option('--role <role>', 'role of the new user').choices(roles).makeOptionMandatory())
    .option(
      '--tenant <tenant>',
      `the tenant of the new user: ${tenantNaming}; not needed when there is only one`,
    )
    .option('--name <name>', 'name of the person (default: the part before the @)')
    .addHelpText(
      'after',
      example(
        'copydesk user invite --email ada@example.com --name "Ada Admin" --role admin --tenant example.com',
      ),
    )
    .action(invite)
}

interface InviteOptions {
  email: string
  role: (typeof roles)[number]
  tenant?: string
  name?: string
}

async function invite({ tenant, ...input }: InviteOptions, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const made = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const which = 'There is not exactly one tenant: name it with --tenant.'
    return api.invitations.create({ ...input, tenantId: await neededTenantId(api, tenant, which) })
  })
  output.data(made, () => made.id)
  output.done(`${made.email} is invited: the server sends the e-mail. ${validity(made.expiresAt)}`)
}

async function list({ tenant }: { tenant?: string }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const found = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.invitations.list(tenant === undefined ? {} : { tenantId: await tenantId(api, tenant) })
  })
  output.data(found, () =>
    table(
      ['ID', 'E-MAIL', 'NAME', 'ROLE', 'STATUS', 'TENANT', 'UNTIL'],
      found.map(({ id, email, name, role, status, tenantId: whose, expiresAt }) => [
        id,
        email,
        name,
        role,
        status,
        whose,
        day(expiresAt),
      ]),
    ),
  )
}

async function resend(id: string, _options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const sent = await withApp(config, (copydesk) => copydesk.asSystem().invitations.resend(id))
  output.data(sent, () => sent.id)
  output.done(`The server sends another e-mail to ${sent.email}. ${validity(sent.expiresAt)}`)
}

async function revoke(id: string, { yes }: { yes?: true }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  if (!(await confirmed(`This revokes the invitation ${id}; its link becomes invalid.`, yes))) return
  await withApp(config, (copydesk) => copydesk.asSystem().invitations.revoke(id))
  output.data({ id, status: 'revoked' }, () => `${id} is revoked.`)
}

const validity = (until: Date) => `The invitation is valid until ${day(until)}.`
const day = (date: Date) => date.toISOString().slice(0, 10)
