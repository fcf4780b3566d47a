import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { everything, tenantIds, userId } from './find.ts'
import { prepare, wholeNumber } from './options.ts'

const dayMs = 86_400_000
const assistantAccesses = ['none', 'read', 'decide'] as const

/** `api-key create|list|revoke`. */
export function apiKeyCommands(program: Command): void {
  const group = program
    .command('api-key')
    .description('API keys with which programs act for a user')
    .addHelpText('after', example('copydesk api-key list'))
  group
    .command('create')
    .description('create an API key; it is shown only once')
    .requiredOption('--user <id or e-mail>', 'the user for whom the key acts')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--tenant <tenant...>', `restrict the key to these tenants: ${tenantNaming}`)
    .option('--expires-in <days>', 'days until the key expires', wholeNumber(1, 3_650))
    .addOption(
      new Option('--assistant <right>', 'what an assistant may do with the key (default: read)').choices(
        assistantAccesses,
      ),
    )
    .addHelpText(
      'after',
      example('copydesk api-key create --user you@example.com --name nightly --expires-in 90'),
    )
    .action(create)
  group
    .command('list')
    .description('list keys, without the keys themselves')
    .option('--user <id or e-mail>', 'only keys of this user')
    .addHelpText('after', example('copydesk api-key list --user you@example.com'))
    .action(list)
  group
    .command('revoke')
    .description('revoke a key at once')
    .argument('<id>', 'id of the key, as `api-key list` shows it')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk api-key revoke 01J9ZX6T4QH8C3V5N7M2K0B1AD --yes'))
    .action(revoke)
}

interface CreateOptions {
  user: string
  name: string
  tenant?: string[]
  expiresIn?: number
  assistant?: (typeof assistantAccesses)[number]
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const { user, name, tenant, expiresIn, assistant } = options
  const { config, output } = prepare(command)
  const created = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.apiKeys.create({
      userId: await userId(api, user),
      name,
      ...(tenant && { tenantIds: await tenantIds(api, tenant) }),
      ...(assistant && { assistantAccess: assistant }),
      ...(expiresIn !== undefined && { expiresAt: new Date(Date.now() + expiresIn * dayMs) }),
    })
  })
  output.data(created, () => created.key)
  output.done('Store this key in a safe place: it cannot be shown again.')
}

async function list({ user }: { user?: string }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const keys = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const filter = user ? { 'filter.userId': await userId(api, user) } : {}
    return everything((page) => api.apiKeys.list({ ...page, ...filter, order: 'asc' }))
  })
  const now = Date.now()
  output.data(keys, () =>
    table(
      ['ID', 'NAME', 'KEY', 'STATUS', 'ASSIST', 'EXPIRES', 'USED'],
      keys.map(({ id, name, keyPreview, status, assistantAccess, expiresAt, lastUsedAt }) => [
        id,
        name,
        // All keys begin alike; only the end distinguishes them.
        keyPreview.slice(keyPreview.indexOf('…')),
        status,
        assistantAccess,
        expiresAt?.toISOString().slice(0, 10) ?? '-',
        lastUsedAt ? `${Math.floor((now - lastUsedAt.getTime()) / dayMs)}d` : '-',
      ]),
      [1],
    ),
  )
}

async function revoke(id: string, { yes }: { yes?: true }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  if (id.trim() === '') throw wrongUsage('Give the id of the key: `copydesk api-key list` shows the ids.')
  if (!(await confirmed(`This revokes the key ${id}; requests with it are rejected from now on.`, yes)))
    return
  await withApp(config, (copydesk) => copydesk.asSystem().apiKeys.revoke(id))
  output.data({ id, status: 'revoked' }, () => `${id} is revoked.`)
}
