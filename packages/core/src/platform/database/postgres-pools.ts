import { Pool, type PoolConfig } from 'pg'
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
  /** That of the units of work, once the ORM has said what it needs. */
  readonly unitsOfWork: Pool
  /** @param types how the ORM reads what comes back; those of the first count */
  forUnitsOfWork(types: PoolConfig['types']): Pool
  /** Ends the connections when no one uses them any more. */
  leave(): Promise<void>
}

interface Shared extends PostgresPools {
  members: number
}

const open = new Map<string, Shared>()

/** Joins those who use the database at `url`. The size of the pools and whether they prepare are what the first one asked for. */
export function joinPools(options: DatabaseOptions): PostgresPools {
  const { url } = options
  const pools = open.get(url) ?? makePools(options)
  open.set(url, pools)
  pools.members += 1
  return pools
}

/** Those that `joinPools` has opened. */
export function poolsOf(url: string): PostgresPools {
  const pools = open.get(url)
  if (!pools) throw new Error('the database has not been opened')
  return pools
}

function makePools({
  url,
  log,
  poolSize: max = 8,
  preparedStatements: preparing = true,
}: DatabaseOptions): Shared {
  const lost = (error: Error) => log.warn('a PostgreSQL connection was lost', { error })
  const make = (types?: PoolConfig['types']) =>
    // The pool hears of idle connections only; of one in use no one would, and the process would end.
    new Pool({ connectionString: url, max, pipeline: true, ...(types && { types }) })
      .on('error', lost)
      .on('connect', (client) => client.on('error', lost))
  const statements = make()
  let unitsOfWork: Pool | undefined
  const pools: Shared = {
    members: 0,
    statements,
    preparing,
    get unitsOfWork() {
      if (!unitsOfWork) throw new Error('the ORM has not been connected')
      return unitsOfWork
    },
    forUnitsOfWork: (types) => (unitsOfWork ??= make(types)),
    async leave() {
      pools.members -= 1
      if (pools.members > 0) return
      open.delete(url)
      await Promise.all([statements.end(), unitsOfWork?.end()])
    },
  }
  return pools
}
