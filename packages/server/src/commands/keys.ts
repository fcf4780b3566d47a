import type { Keys } from '@copydesk/core'
import { Argument, type Command } from 'commander'
import { withApp } from '../app.ts'
import type { Loaded } from '../config/load.ts'
import { changeSecrets, newEncryptionKey, newSigningKey, secretsFile } from '../config/secrets.ts'
import { Failure } from '@copydesk/terminal/failure'
import { reloadMs } from '../reload-keys.ts'
import { table } from '@copydesk/terminal/talk'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/asking'
import { prepare } from './options.ts'

/** No token lives longer. */
const longestTokenMs = 3_600_000

const kinds = ['signing', 'encryption'] as const
type Kind = (typeof kinds)[number]

/** `keys list|rotate|reseal|retire`. */
export function keyCommands(program: Command): void {
  const kind = new Argument('<kind>', 'which keys').choices(kinds)
  const group = program
    .command('keys')
    .description('the keys that sign tokens and encrypt secrets')
    .addHelpText('after', example('copydesk keys list'))
  group
    .command('list')
    .description('list the keys, without the secrets themselves')
    .addHelpText('after', example('copydesk keys list --json'))
    .action(list)
  group
    .command('rotate')
    .description('make a new key and use it from now on; the old one stays valid')
    .addArgument(kind)
    .addHelpText('after', example('copydesk keys rotate signing', 'copydesk keys rotate encryption'))
    .action(rotate)
  group
    .command('reseal')
    .description('encrypt anew what is still encrypted with an older key')
    .addHelpText('after', example('copydesk keys reseal'))
    .action(reseal)
  group
    .command('retire')
    .description('remove an old key that nothing needs any more')
    .addArgument(kind)
    .argument('<id>', 'id of the key, as `keys list` shows it')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('copydesk keys retire signing k1 --yes'))
    .action(retire)
}

async function list(_options: object, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  const inUse = await withApp(config, (copydesk) => copydesk.keys.inUse())
  const of = (kind: Kind, keys: ReadonlyArray<{ id: string; createdAt?: string | undefined }>) =>
    keys.map(({ id, createdAt }, index) => ({
      kind,
      id,
      use: index === 0 ? (kind === 'signing' ? 'signs' : 'encrypts') : 'still understood',
      createdAt: createdAt ?? null,
      ...(kind === 'encryption' && { sealed: inUse[id] ?? 0 }),
    }))
  const keys: Array<ReturnType<typeof of>[number] & { sealed?: number }> = [
    ...of('signing', config.signingKeys),
    ...of('encryption', config.encryptionKeys),
  ]
  talk.data(keys, () =>
    table(
      ['KIND', 'ID', 'USE', 'CREATED', 'ENCRYPTED TEXTS'],
      keys.map(({ kind, id, use, createdAt, sealed }) => [
        kind,
        id,
        use,
        createdAt?.slice(0, 10) ?? '-',
        sealed === undefined ? '-' : String(sealed),
      ]),
    ),
  )
}

async function rotate(kind: Kind, _options: object, command: Command): Promise<void> {
  const loaded = prepare(command)
  const { config, talk } = loaded
  requireFile(loaded, kind)
  // Looked at before anything changes: the installation must be one that these keys open.
  await withApp(config, (copydesk) => copydesk.keys.inUse())
  const keys = changeSecrets(config.dataDir, (secrets) =>
    kind === 'signing'
      ? { ...secrets, signingKeys: [newSigningKey(secrets.signingKeys), ...secrets.signingKeys] }
      : { ...secrets, encryptionKeys: [newEncryptionKey(secrets.encryptionKeys), ...secrets.encryptionKeys] },
  )
  const [fresh, old] = kind === 'signing' ? keys.signingKeys : keys.encryptionKeys
  const resealed = kind === 'encryption' ? await resealAll(loaded, keys) : undefined
  talk.data({ kind, id: fresh?.id, ...(resealed !== undefined && { resealed }) }, () => fresh?.id ?? '')
  if (resealed !== undefined) talk.done(`${resealed} texts were encrypted anew.`)
  talk.done(
    `The key ${fresh?.id} is in use; running servers take it within ${reloadMs / 1_000} seconds. Save ${secretsFile(config.dataDir)} in your backup, then, ${kind === 'signing' ? 'an hour from now' : 'when that is done'}: copydesk keys retire ${kind} ${old?.id}`,
  )
}

async function reseal(_options: object, command: Command): Promise<void> {
  const loaded = prepare(command)
  const resealed = await resealAll(loaded, loaded.config)
  loaded.talk.data({ resealed }, () => `${resealed} texts were encrypted anew.`)
}

/** Once more after every running server has taken the new key: until then they encrypt with the old one. */
function resealAll({ config }: Loaded, keys: Keys): Promise<number> {
  return withApp({ ...config, ...keys }, async (copydesk) => {
    const first = await copydesk.keys.reseal()
    await new Promise((resolve) => setTimeout(resolve, reloadMs + 500))
    return first + (await copydesk.keys.reseal())
  })
}

async function retire(kind: Kind, id: string, { yes }: { yes?: true }, command: Command): Promise<void> {
  const loaded = prepare(command)
  const { config, talk } = loaded
  requireFile(loaded, kind)
  const keys: ReadonlyArray<{ id: string; createdAt?: string | undefined }> =
    kind === 'signing' ? config.signingKeys : config.encryptionKeys
  const index = keys.findIndex((key) => key.id === id)
  if (index < 0) throw new Failure(`There is no ${kind} key ${id}. \`copydesk keys list\` shows them.`)
  if (index === 0) {
    throw new Failure(`The key ${id} is in use. Make another one first: copydesk keys rotate ${kind}`)
  }
  if (kind === 'encryption') await requireUnused(loaded, id)
  else requireOutlived(keys[index - 1], id)
  if (!(await confirmed(`This removes the ${kind} key ${id} for good.`, yes))) return
  changeSecrets(config.dataDir, (secrets) => ({
    signingKeys: secrets.signingKeys.filter((key) => kind !== 'signing' || key.id !== id),
    encryptionKeys: secrets.encryptionKeys.filter((key) => kind !== 'encryption' || key.id !== id),
  }))
  talk.data({ kind, id, status: 'retired' }, () => `The ${kind} key ${id} is gone.`)
}

async function requireUnused({ config }: Loaded, id: string): Promise<void> {
  const left = (await withApp(config, (copydesk) => copydesk.keys.inUse()))[id] ?? 0
  if (left === 0) return
  throw new Failure(
    `${left} texts are still encrypted with the key ${id}. Run \`copydesk keys reseal\` first.`,
  )
}

/** Tokens that were signed before the next key came live for up to an hour. */
function requireOutlived(next: { createdAt?: string | undefined } | undefined, id: string): void {
  const since = next?.createdAt === undefined ? 0 : Date.parse(next.createdAt)
  const left = since + longestTokenMs - Date.now()
  if (left <= 0) return
  throw new Failure(
    `Tokens that were signed with the key ${id} may still be in use. Try again in ${Math.ceil(left / 60_000)} minutes.`,
  )
}

/** Only the secrets file is ours to change. */
function requireFile({ config, sources }: Loaded, kind: Kind): void {
  if (config.keysFromFile.includes(`${kind}Keys`)) return
  const source = sources.get(`${kind}Keys`)
  throw new Failure(
    `The ${kind} keys come from the ${source ?? 'configuration'}, which is yours to change: put a new key first there, keep the old one behind it, and restart.${kind === 'encryption' ? ' Then run `copydesk keys reseal`.' : ''}`,
  )
}
