import type { Keys } from '@copydesk/core'
import { Failure } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { Argument, type Command } from 'commander'
import { withApp } from '../app.ts'
import type { Loaded } from '../config/load.ts'
import { changeSecrets, newEncryptionKey, newSigningKey, secretsFile } from '../config/secrets.ts'
import { reloadMs } from '../reload-keys.ts'
import { prepare } from './options.ts'

/** No token is valid longer, but for links that confirm an address: a key may have to go before they end, and a new password does the same. */
const longestTokenMs = 3_600_000

const kinds = ['signing', 'encryption'] as const
type Kind = (typeof kinds)[number]

/** `keys list|rotate|re-encrypt|retire`. */
export function keyCommands(program: Command): void {
  const kind = new Argument('<kind>', 'which keys').choices(kinds)
  const group = program
    .command('keys')
    .description('the keys that sign tokens and encrypt secrets')
    .addHelpText('after', example('copydesk keys list'))
  group
    .command('list')
    .description('list the keys, without their secret values')
    .addHelpText('after', example('copydesk keys list --json'))
    .action(list)
  group
    .command('rotate')
    .description('create a new key and use it from now on; the old one stays valid')
    .addArgument(kind)
    .addHelpText('after', example('copydesk keys rotate signing', 'copydesk keys rotate encryption'))
    .action(rotate)
  group
    .command('re-encrypt')
    .description('re-encrypt secrets that are still encrypted with an older key')
    .addHelpText('after', example('copydesk keys re-encrypt'))
    .action(reencrypt)
  group
    .command('retire')
    .description('remove an old key that is not used any more')
    .addArgument(kind)
    .argument('<id>', 'id of the key, as `keys list` shows it')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk keys retire signing k1 --yes'))
    .action(retire)
}

async function list(_options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
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
  output.data(keys, () =>
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
  const { config, output } = loaded
  requireFile(loaded, kind)
  // Checked before anything changes: these keys must decrypt this installation's secrets.
  await withApp(config, (copydesk) => copydesk.keys.inUse())
  const keys = changeSecrets(config.dataDir, (secrets) =>
    kind === 'signing'
      ? { ...secrets, signingKeys: [newSigningKey(secrets.signingKeys), ...secrets.signingKeys] }
      : { ...secrets, encryptionKeys: [newEncryptionKey(secrets.encryptionKeys), ...secrets.encryptionKeys] },
  )
  const [fresh, old] = kind === 'signing' ? keys.signingKeys : keys.encryptionKeys
  const reencrypted = kind === 'encryption' ? await reencryptAll(loaded, keys) : undefined
  output.data(
    { kind, id: fresh?.id, ...(reencrypted !== undefined && { reencrypted }) },
    () => fresh?.id ?? '',
  )
  if (reencrypted !== undefined) output.done(`${reencrypted} texts were re-encrypted.`)
  output.done(
    `The key ${fresh?.id} is in use; running servers load it within ${reloadMs / 1_000} seconds. Back up ${secretsFile(config.dataDir)}, then, ${kind === 'signing' ? 'an hour from now' : 'when that is done'}: copydesk keys retire ${kind} ${old?.id}`,
  )
}

async function reencrypt(_options: object, command: Command): Promise<void> {
  const loaded = prepare(command)
  const reencrypted = await reencryptAll(loaded, loaded.config)
  loaded.output.data({ reencrypted }, () => `${reencrypted} texts were re-encrypted.`)
}

/**
 * Repeats the re-encryption after every running server has loaded the new key: until then they encrypt with
 * the old one.
 */
function reencryptAll({ config }: Loaded, keys: Keys): Promise<number> {
  return withApp({ ...config, ...keys }, async (copydesk) => {
    const first = await copydesk.keys.reencrypt()
    await new Promise((resolve) => setTimeout(resolve, reloadMs + 500))
    return first + (await copydesk.keys.reencrypt())
  })
}

async function retire(kind: Kind, id: string, { yes }: { yes?: true }, command: Command): Promise<void> {
  const loaded = prepare(command)
  const { config, output } = loaded
  requireFile(loaded, kind)
  const keys: ReadonlyArray<{ id: string; createdAt?: string | undefined }> =
    kind === 'signing' ? config.signingKeys : config.encryptionKeys
  const index = keys.findIndex((key) => key.id === id)
  if (index < 0) throw new Failure(`There is no ${kind} key ${id}. \`copydesk keys list\` shows them.`)
  if (index === 0) {
    throw new Failure(`The key ${id} is in use. Create another one first: copydesk keys rotate ${kind}`)
  }
  if (kind === 'encryption') await requireUnused(loaded, id)
  else requireOutlived(keys[index - 1], id)
  if (!(await confirmed(`This deletes the ${kind} key ${id} for good.`, yes))) return
  changeSecrets(config.dataDir, (secrets) => ({
    signingKeys: secrets.signingKeys.filter((key) => kind !== 'signing' || key.id !== id),
    encryptionKeys: secrets.encryptionKeys.filter((key) => kind !== 'encryption' || key.id !== id),
  }))
  output.data({ kind, id, status: 'retired' }, () => `The ${kind} key ${id} is deleted.`)
}

async function requireUnused({ config }: Loaded, id: string): Promise<void> {
  const left = (await withApp(config, (copydesk) => copydesk.keys.inUse()))[id] ?? 0
  if (left === 0) return
  throw new Failure(
    `${left} texts are still encrypted with the key ${id}. Run \`copydesk keys re-encrypt\` first.`,
  )
}

/** Tokens that were signed before the key was rotated are valid for up to an hour. */
function requireOutlived(next: { createdAt?: string | undefined } | undefined, id: string): void {
  const since = next?.createdAt === undefined ? 0 : Date.parse(next.createdAt)
  const left = since + longestTokenMs - Date.now()
  if (left <= 0) return
  throw new Failure(
    `Tokens that were signed with the key ${id} may still be in use. Try again in ${Math.ceil(left / 60_000)} minutes.`,
  )
}

/** Copydesk changes only the secrets file. */
function requireFile({ config, sources }: Loaded, kind: Kind): void {
  if (config.keysFromFile.includes(`${kind}Keys`)) return
  const source = sources.get(`${kind}Keys`)
  throw new Failure(
    `The ${kind} keys come from the ${source ?? 'configuration'}, which Copydesk does not change: add a new key as the first one there, keep the old one behind it, and restart.${kind === 'encryption' ? ' Then run `copydesk keys re-encrypt`.' : ''}`,
  )
}
