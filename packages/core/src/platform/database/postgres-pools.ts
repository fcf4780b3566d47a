import { Pool } from 'pg'
import type { DatabaseOptions } from './database.ts'

/**
 * The connections of this process to one PostgreSQL database. Instances on the same database share them: each would start
 * processes of its own at the server otherwise, which know nothing of the schema yet. Units of work and hand-written
 * statements have a pool each, so that neither waits for a connection while it holds one of the other.
 */
export interface PostgresPools {
  readonly statements: Pool
  /** Whether statements are named, so that the server keeps them. */
  readonly preparing: boolean
  /** The pool of the units of work is made by the ORM; the first one counts. */
  forUnitsOfWork(made: Pool): Pool
  /** Ends the connections when no one uses them any more. */
  leave(): Promise<void>
}

interface Shared extends PostgresPools {
  members: number
}

const open = new Map<string, Shared>()

/** Joins those who use the database at `url`. The size of the pools and whether they prepare are what the first one asked for. */
export function joinPools({ url, log, ...options }: DatabaseOptions): PostgresPools {
  const pools = open.get(url) ?? makePools(url, options)
  open.set(url, pools)
  pools.members += 1
  if (pools.members === 1) {
    const lost = (error: Error) => log.warn('a PostgreSQL connection was lost', { error })
    // The pool hears of idle connections only; of one in use no one would, and the process would end.
    pools.statements.on('error', lost).on('connect', (client) => client.on('error', lost))
  }
  return pools
}

/** Those that `joinPools` has opened. */
export function poolsOf(url: string): PostgresPools {
  const pools = open.get(url)
  if (!pools) throw new Error('the database has not been opened')
  return pools
}

function makePools(
  url: string,
  {
    poolSize: max = 8,
    preparedStatements: preparing = true,
  }: Pick<DatabaseOptions, 'poolSize' | 'preparedStatements'>,
): Shared {
  const statements = new Pool({ connectionString: url, max })
  let unitsOfWork: Pool | undefined
  const pools: Shared = {
    members: 0,
    statements,
    preparing,
    forUnitsOfWork: (made) => (unitsOfWork ??= made),
    async leave() {
      pools.members -= 1
      if (pools.members > 0) return
      open.delete(url)
      await Promise.all([statements.end(), unitsOfWork?.end()])
    },
  }
  return pools
}
