import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '@copydesk/terminal/failure'
import { databaseFile } from './app.ts'
import type { Config } from './config/schema.ts'

/** The files that Copydesk keeps in the data folder, besides the database and the secrets file. */
const kept = ['copydesk.json', 'blobs', 'temporary', 'resized', 'mail', 'agents', 'server.lock', 'server.pid']

/**
 * Files and folders of an installation that other users of the machine can access: the database with SQLite's
 * files beside it, and the contents of the data folder. The secrets file has a separate check
 * (`areSecretsExposed`). Not checked on Windows, which has other access rights.
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
 * Removes all permissions of other users: files become 0600, folders 0700.
 * @throws Failure that says what to do when this user may not change them
 */
export function closeFiles(files: readonly string[]): void {
  for (const file of files) {
    try {
      chmodSync(file, statSync(file).isDirectory() ? 0o700 : 0o600)
    } catch (cause) {
      throw new Failure(
        `Other users can read ${file}, and this user may not change its permissions. Run \`chmod go= ${file}\` as its owner.`,
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
