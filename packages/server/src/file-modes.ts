import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '@copydesk/terminal/failure'
import { databaseFile } from './app.ts'
import type { Config } from './config/schema.ts'

/** What Copydesk keeps in the data folder, beside the database and the secrets file. */
const kept = ['copydesk.json', 'blobs', 'mail', 'agents', 'server.lock', 'server.pid']

/**
 * Files and folders of an installation that other users of the machine can reach: the database with what SQLite keeps
 * beside it, and what lies in the data folder. The secrets file has a rule of its own (`areSecretsExposed`). Windows
 * keeps rights in another way and is not asked.
 */
export function exposedFiles(config: Config): string[] {
  if (process.platform === 'win32') return []
  const database = databaseFile(config)
  const all = [
    ...kept.map((name) => join(config.dataDir, name)),
    ...(database ? databaseFiles(database) : []),
  ]
  return all.filter((file) => existsSync(file) && (statSync(file).mode & 0o077) !== 0)
}

/**
 * Takes away every right of other users: files become 0600, folders 0700.
 * @throws Failure when this user may not, with what to do
 */
export function closeFiles(files: readonly string[]): void {
  for (const file of files) {
    try {
      chmodSync(file, statSync(file).isDirectory() ? 0o700 : 0o600)
    } catch (cause) {
      throw new Failure(
        `Other users can read ${file}, and this user may not change that. Run \`chmod go= ${file}\` as its owner.`,
        { cause },
      )
    }
  }
}

/** The database, and its journals and copies beside it. */
function databaseFiles(file: string): string[] {
  const folder = dirname(file)
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return []
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path === file || path.startsWith(`${file}-`))
}
