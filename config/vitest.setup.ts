import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { findCompiler } from './compiler.ts'
import { findLibreOffice } from './libreoffice.ts'
import { findPgBouncer } from './pgbouncer.ts'
import { hasPgvector } from './pgvector.ts'
import type { LocatedPostgres } from './postgres.ts'
import { findRedis } from './redis.ts'
import { dropDatabases, findWordPress } from './wordpress.ts'

/** What one run uses, and the names of all that it makes, so that nothing of it is left behind. */
export interface TestRun {
  sqlite: boolean
  postgres: LocatedPostgres | undefined
  /** For stdout: why there is no PostgreSQL. */
  missing: string | undefined
  /** Prefix of the names of its PostgreSQL databases. */
  prefix: string
  /** Directory of its SQLite files. */
  folder: string
  /** Directory of the bundled program. */
  bundle: string
}

const key = Symbol.for('copydesk.test-run')
const nameKey = Symbol.for('copydesk.test-run-name')
const shelf = globalThis as { [key]?: TestRun; [nameKey]?: string }

/** What the names of all that this run makes have in common. The configuration is read several times, by modules of their own. */
export function nameOfRun(): string {
  return (shelf[nameKey] ??= `${process.pid}_${randomBytes(3).toString('hex')}`)
}

/** Leaves the run for the set-up below, which vitest loads as a module of its own. */
export function planRun(run: TestRun): void {
  shelf[key] = run
}

/**
 * Starts the servers that the run uses, tells the workers by their environment, and says which they are. Nothing is started
 * before: other tools read the configuration too.
 * @returns what takes away, at its end, all that the run made
 */
export async function setup(_project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const run = shelf[key]
  if (!run) return undefined
  const [redis, libreOffice, wordPress] = await Promise.all([
    findRedis(),
    run.sqlite ? findLibreOffice() : undefined,
    run.sqlite ? findWordPress() : undefined,
  ])
  const noRedis = redis.url === undefined ? `redis: NOT tested, because ${redis.reason}` : undefined
  if (noRedis && process.env['COPYDESK_REQUIRE_REDIS'] === '1') throw new Error(noRedis)
  const started = redis.url === undefined ? undefined : redis
  const postgres = await run.postgres?.start()
  process.env['COPYDESK_TEST_REDIS'] = started?.url ?? ''
  process.env['COPYDESK_TEST_POSTGRES'] = postgres?.url ?? ''
  const databases = [...(run.sqlite ? ['sqlite'] : []), ...(postgres ? [`postgresql (${postgres.how})`] : [])]
  const noPooler =
    postgres && !findPgBouncer() ? 'pgbouncer: NOT tested, because it is not installed' : undefined
  const pgvector = postgres !== undefined && (await hasPgvector(postgres.url))
  process.env['COPYDESK_TEST_PGVECTOR'] = pgvector ? '1' : ''
  const noPgvector =
    postgres && !pgvector ? 'pgvector: NOT tested, because the PostgreSQL server does not have it' : undefined
  const noCompiler =
    run.sqlite && !findCompiler()
      ? 'power cuts: NOT tested, because there is no C compiler for Linux'
      : undefined
  process.env['COPYDESK_TEST_LIBREOFFICE'] = libreOffice?.program ?? ''
  const noSpreadsheets =
    libreOffice && libreOffice.program === undefined
      ? `libreoffice: NOT tested, because ${libreOffice.reason}`
      : undefined
  process.env['COPYDESK_TEST_WORDPRESS'] = wordPress?.databaseHost ?? ''
  const noWordPress =
    wordPress && wordPress.databaseHost === undefined
      ? `wordpress: NOT tested, because ${wordPress.reason}`
      : undefined
  const report = [
    `databases: ${databases.join(', ')}`,
    run.missing,
    noPooler,
    noPgvector,
    noCompiler,
    noSpreadsheets,
    noWordPress,
    noRedis ?? `redis: ${started?.how}`,
  ]
  process.stdout.write(`${report.filter(Boolean).join('\n')}\n`)
  return async () => {
    for (const path of [run.folder, run.bundle]) rmSync(path, { recursive: true, force: true })
    if (wordPress?.databaseHost !== undefined) await dropDatabases(wordPress.databaseHost, run.prefix)
    await started?.stop()
    if (!postgres) return
    await dropLeftovers(postgres.url, run.prefix)
    await postgres.stop()
  }
}

async function dropLeftovers(url: string, prefix: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
      prefix,
    ])
    for (const { datname } of rows) {
      await client.query(`drop database if exists ${client.escapeIdentifier(datname)} with (force)`)
    }
  } finally {
    await client.end()
  }
}
