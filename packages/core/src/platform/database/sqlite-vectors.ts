import type BetterSqlite from 'better-sqlite3'
import type { Logger } from '../log.ts'
import type { VectorSupport } from './database.ts'

/**
 * Loads sqlite-vec into a connection, a package with binaries that an installation may do without. The driver lets programs load
 * extensions, and never SQL.
 */
export async function loadVectors(handle: BetterSqlite.Database, log: Logger): Promise<VectorSupport> {
  try {
    const { getLoadablePath } = await import('sqlite-vec')
    handle.loadExtension(getLoadablePath())
    const version = handle.prepare<[], string>("select ltrim(vec_version(), 'v')").pluck().get()
    return { by: `sqlite-vec ${version}` }
  } catch (error) {
    const missing = 'sqlite-vec is not installed'
    log.debug(`vectors are compared in this process, because ${missing}`, { error })
    return { missing }
  }
}
