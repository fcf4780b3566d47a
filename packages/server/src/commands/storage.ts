import { readFileSync } from 'node:fs'
import type { StorageOptions } from '@copydesk/core'
import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { toStorage } from '../config/storage.ts'
import { prepare } from './options.ts'

interface MoveOptions {
  to: string
  accessKeyId?: string
  secretFile?: string
}

/** `storage move`. */
export function storageCommands(program: Command): void {
  const group = program
    .command('storage')
    .description('where uploaded files, reports and other files are kept')
    .addHelpText('after', example('copydesk storage move --to s3://media?region=eu-central-1'))
  addMove(group)
  mediaMoveCommand(program)
}

/** `media move`, the same beside the commands for assets, which go to a server. */
export function mediaMoveCommand(program: Command): void {
  const group = program.commands.find((command) => command.name() === 'media')
  if (group) addMove(group)
}

function addMove(group: Command): void {
  group
    .command('move')
    .description('on this machine: copy all files to another store, check them there, and say what to change')
    .requiredOption('--to <url>', 'a folder, or s3://bucket/prefix?region=REGION&endpoint=URL')
    .option('--access-key-id <id>', 'key id for that bucket (default: storage.accessKeyId)')
    .option('--secret-file <file>', 'file that contains its secret (default: storage.secretAccessKey)')
    .addHelpText(
      'after',
      example(
        `copydesk ${group.name()} move --to s3://media?region=eu-central-1`,
        `copydesk ${group.name()} move --to 's3://media?endpoint=http://minio:9000' --access-key-id AKID --secret-file secret.txt`,
      ),
    )
    .action(move)
}

async function move(options: MoveOptions, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const target: StorageOptions = {
    ...toStorage(config.storage),
    url: options.to,
    ...(options.accessKeyId !== undefined && { accessKeyId: options.accessKeyId }),
    ...(options.secretFile !== undefined && { secretAccessKey: secretIn(options.secretFile) }),
  }
  const counts = await withApp(config, (copydesk) =>
    copydesk.storage.copyTo(target).catch((error: unknown) => {
      throw error instanceof TypeError ? wrongUsage(error.message) : error
    }),
  )
  const { copied, present, bytes } = counts
  output.data(
    counts,
    () =>
      `${copied} files were copied, ${present} were there already: ${Math.ceil(bytes / 1024 / 1024)} MiB, checked by SHA-256.`,
  )
  output.done(
    `Stop the servers, run this command once more for what was stored meanwhile, set storage.url (COPYDESK_STORAGE_URL) to ${options.to}, and start them. The files stay where they were until you delete them.`,
  )
}

function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw wrongUsage(`The file ${file} cannot be read (${code}).`)
  }
}
