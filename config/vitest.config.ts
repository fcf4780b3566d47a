import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { locatePostgres } from './postgres.ts'
import { scratchFolder } from './scratch.ts'
import { LongestFirst } from './vitest.order.ts'
import { nameOfRun, planRun } from './vitest.setup.ts'

/**
 * `*.db.test.ts` runs once on each database, every other `*.test.ts` once.
 *
 * Environment: `COPYDESK_TEST_DB=sqlite|postgresql` runs on one database only; `COPYDESK_REQUIRE_POSTGRES=1` fails the
 * run where no PostgreSQL can be had; `TEST_DATABASE_URL` names the PostgreSQL to use. `COPYDESK_REQUIRE_REDIS=1` and
 * `TEST_REDIS_URL` mean the same for Redis; tests that need one are skipped where none can be had.
 */
export default defineConfig(async () => {
  const only = process.env['COPYDESK_TEST_DB']
  const required = process.env['COPYDESK_REQUIRE_POSTGRES'] === '1' || only === 'postgresql'
  const located =
    only === 'sqlite' && !required
      ? { reason: 'COPYDESK_TEST_DB is sqlite' }
      : await locatePostgres({ volatile: true })
  const postgres = 'start' in located ? located : undefined
  const missing = 'start' in located ? undefined : `postgresql: NOT tested, because ${located.reason}`
  if (required && missing) throw new Error(missing)

  const name = nameOfRun()
  const root = fileURLToPath(new URL('..', import.meta.url))
  const run = {
    prefix: `copydesk_test_${name}_`,
    folder: join(scratchFolder(), `copydesk-test-${name}`),
    // Inside of node_modules, where the two packages that are not bundled are found.
    bundle: join(root, 'node_modules', '.cache', `copydesk-cli-${name}`),
  }
  // Threads and processes of the tests would each compile all that they load again.
  process.env['NODE_COMPILE_CACHE'] ??= join(run.folder, 'compiled')
  planRun({ ...run, sqlite: only !== 'postgresql', postgres, missing })

  const conditions = ['@copydesk/source']
  const shared = { root, resolve: { conditions }, ssr: { resolve: { conditions } } }
  const limits = {
    pool: 'forks' as const,
    isolate: false,
    // See `packages/server/src/webassembly.ts`: a process of tests starts hundreds of threads.
    execArgv: ['--no-wasm-code-gc'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A passing poll ends at once; on a busy machine a terminal may take its time.
    expect: { poll: { timeout: 20_000 } },
  }
  const env = {
    COPYDESK_TEST_PREFIX: run.prefix,
    COPYDESK_TEST_FOLDER: run.folder,
    COPYDESK_TEST_BUNDLE: run.bundle,
  }
  const both = ['test/**/*.db.test.ts']
  const sqlite = {
    ...shared,
    test: {
      ...limits,
      name: 'sqlite',
      include: ['test/**/*.test.ts'],
      exclude: ['**/node_modules/**', ...(only === 'postgresql' ? both : [])],
      env: { ...env, COPYDESK_TEST_DB: 'sqlite' },
    },
  }
  const postgresql = {
    ...shared,
    test: {
      ...limits,
      name: 'postgresql',
      include: both,
      env: { ...env, COPYDESK_TEST_DB: 'postgresql' },
    },
  }
  return {
    ...shared,
    test: {
      // A third one works while the others wait for processes, clocks and disks.
      maxWorkers: 3,
      sequence: { sequencer: LongestFirst },
      globalSetup: [join(root, 'config/vitest.setup.ts')],
      projects: postgres ? [sqlite, postgresql] : [sqlite],
    },
  }
})
