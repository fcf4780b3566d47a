import { rmSync } from 'node:fs'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import type { FoundPostgres } from './postgres.ts'
import type { FoundRedis } from './redis.ts'

/** What one run uses, and the names of all that it makes, so that nothing of it is left behind. */
export interface TestRun {
  /** For stdout: which databases and which Redis the run uses and, if so, why one is missing. */
  report: string
  postgres: FoundPostgres | undefined
  redis: FoundRedis | undefined
  /** Prefix of the names of its PostgreSQL databases. */
  prefix: string
  /** Directory of its SQLite files. */
  folder: string
}

const key = Symbol.for('copydesk.test-run')
const shelf = globalThis as { [key]?: TestRun }

/** Leaves the run for the set-up below, which vitest loads as a module of its own. */
export function planRun(run: TestRun): void {
  shelf[key] = run
}

/** Says which databases the run uses; @returns what takes away, at its end, all that it made. */
export function setup(_project: TestProject): (() => Promise<void>) | undefined {
  const run = shelf[key]
  if (!run) return undefined
  process.stdout.write(`${run.report}\n`)
  return async () => {
    rmSync(run.folder, { recursive: true, force: true })
    await run.redis?.stop()
    if (!run.postgres) return
    await dropLeftovers(run.postgres.url, run.prefix)
    await run.postgres.stop()
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
