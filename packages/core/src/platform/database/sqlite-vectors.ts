import type BetterSqlite from 'better-sqlite3'
import type { Logger } from '../log.ts'

/**
 * Loads sqlite-vec into a connection, a package with binaries that an installation may do without. The driver lets programs load
 * extensions, and never SQL.
 * @returns its version; undefined where it is not installed or cannot be loaded
 */
export async function loadVectors(handle: BetterSqlite.Database, log: Logger): Promise<string | undefined> {
  try {
    const { getLoadablePath } = await import('sqlite-vec')
    handle.loadExtension(getLoadablePath())
    return handle.prepare<[], string>("select ltrim(vec_version(), 'v')").pluck().get()
  } catch (error) {
    log.debug('vectors are compared in this process, because sqlite-vec is not installed', { error })
    return undefined
  }
}
