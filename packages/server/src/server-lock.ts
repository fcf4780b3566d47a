import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '@copydesk/terminal/failure'

/**
 * Locks the data folder for one server: two servers on one SQLite file would each hand out the same runs and
 * count limits separately. The operating system releases the lock when the process ends, however it ends.
 * @returns a function that releases the lock
 * @throws Failure when another server has the lock
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  const file = join(dataDir, 'server.lock')
  const pidFile = join(dataDir, 'server.pid')
  closeSync(openSync(file, 'a', 0o600))
  // Node has no file locks; SQLite has, on every operating system, and is a dependency anyway.
  const { default: Sqlite } = await import('better-sqlite3')
  const lock = new Sqlite(file, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch (cause) {
    lock.close()
    const { code } = cause as { code?: string }
    if (code !== 'SQLITE_BUSY') throw new Failure(`${file} cannot be locked (${code}).`, { cause })
    const pid = existsSync(pidFile) ? ` (process ${readFileSync(pidFile, 'utf8').trim()})` : ''
    throw new Failure(
      `Another server${pid} already uses the data folder ${dataDir}. Stop it first, or choose another folder with --data-dir; several servers need PostgreSQL.`,
      { cause },
    )
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  return () => {
    rmSync(pidFile, { force: true })
    lock.close()
  }
}

/** Whether a server uses the data folder of a SQLite database. */
export async function isServed(dataDir: string): Promise<boolean> {
  const file = join(dataDir, 'server.lock')
  if (!existsSync(file)) return false
  const { default: Sqlite } = await import('better-sqlite3')
  const lock = new Sqlite(file, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
    return false
  } catch {
    return true
  } finally {
    lock.close()
  }
}
