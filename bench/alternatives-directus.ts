import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../config/postgres-server.ts'
import { installAlternative } from './alternatives-install.ts'
import { installationIn, lookInto, reviewerTokens, seed } from './installation.ts'
import { handleAll, load, sendJson } from './load.ts'
import { expectEqual, interleave, type Metrics, more } from './measure.ts'
import { type Subject, startSubject, temporaryFolder } from './processes.ts'

const version = '12.4.0'
const rows = 2_000
const rounds = 3
/** In each round. */
const decisions = 200
const reviewers = 8
const peer = `Directus ${version}`
const token = 'a-token-of-the-benchmarks-0123456789'

/** Pending rows on SQLite: lists of 25 of them by 32 connections, and decisions by eight people at once. */
export async function compareDirectus(): Promise<Metrics> {
  const app = installAlternative({
    name: 'directus',
    dependencies: { directus: version },
    // The sandbox of its extensions, of which there are none; it would have to be compiled for this Node.
    unused: ['isolated-vm'],
    compiled: ['sqlite3'],
  })
  using folder = temporaryFolder()
  const installation = installationIn(folder.path)
  const { approvalIds, reviewerIds } = await seed(installation, { approvals: rows, reviewers: 150 })
  const tokens = await reviewerTokens(reviewerIds)
  const env = directusEnvironment(folder.path, await freePort())
  await fillDirectus(app, env)
  const ids = Array.from({ length: rows }, (_, n) => n + 1)
  const next = <T>(list: T[]) => list.splice(0, decisions)
  const { ours, theirs } = await interleave(rounds, {
    ours: async () => {
      await using server = await startSubject('servers/copydesk.ts', installation, folder.path)
      const decided = await handleAll(tokens.slice(0, reviewers), next(approvalIds), (caller, id) =>
        sendJson('POST', `${server.url}/dm/v1/approvals/${id}/resolve`, caller, {
          resolution: 'approved',
          note: 'Good',
        }),
      )
      const path = '/dm/v1/approvals?filter.status=pending&limit=25'
      const requests = tokens.map((caller) => ({ path, headers: { authorization: `Bearer ${caller}` } }))
      return { decided, ...(await load(server, requests)) }
    },
    theirs: async () => {
      await using server = await startDirectus(app, env, folder.path)
      const decided = await handleAll(tokens.slice(0, reviewers), next(ids), (_caller, id) =>
        sendJson('PATCH', `${server.url}/items/approvals/${id}`, token, { status: 'approved', note: 'Good' }),
      )
      const path = '/items/approvals?filter%5Bstatus%5D%5B_eq%5D=pending&limit=25&sort=id'
      return { decided, ...(await load(server, [{ path, headers: { authorization: `Bearer ${token}` } }])) }
    },
  })
  const db = await lookInto(installation)
  const kept = await db.sql.get(`select count(*) as n from approvals where status = 'approved'`)
  await db.close()
  expectEqual('approvals of Copydesk', Number(kept?.['n']), rounds * decisions)
  await expectDirectus(app, env, folder.path, rounds * decisions)
  return {
    'alternatives.directus.list': more(ours.rate, 'lists of 25/s', peer, theirs.rate),
    'alternatives.directus.decide': more(ours.decided, 'decisions/s', peer, theirs.decided),
  }
}

type Environment = Record<string, string>

function directusEnvironment(folder: string, port: number): Environment {
  return {
    DB_CLIENT: 'sqlite3',
    DB_FILENAME: join(folder, 'directus.db'),
    SECRET: 'a secret of the benchmarks that is long enough',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'Correct-horse-1',
    ADMIN_TOKEN: token,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    STORAGE_LOCATIONS: 'local',
    STORAGE_LOCAL_ROOT: folder,
    EXTENSIONS_PATH: folder,
    TELEMETRY: 'false',
    // It would refuse requests while its event loop is late, as it is with 32 connections.
    PRESSURE_LIMITER_ENABLED: 'false',
    LOG_LEVEL: 'error',
    NODE_ENV: 'production',
  }
}

const cli = (app: string) => join(app, 'node_modules/directus/cli.js')

async function fillDirectus(app: string, env: Environment): Promise<void> {
  execFileSync(process.execPath, [cli(app), 'bootstrap'], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  await using server = await startDirectus(app, env, app)
  const field = (field: string, type: string, schema = {}) => ({ field, type, schema })
  await sendJson('POST', `${server.url}/collections`, token, {
    collection: 'approvals',
    schema: {},
    meta: {},
    fields: [
      field('id', 'integer', { is_primary_key: true, has_auto_increment: true }),
      field('title', 'string'),
      field('status', 'string', { is_indexed: true }),
      field('description', 'text'),
      field('note', 'text'),
    ],
  })
  for (let from = 0; from < rows; from += 100)
    await sendJson(
      'POST',
      `${server.url}/items/approvals`,
      token,
      Array.from({ length: 100 }, (_, n) => ({
        title: `Question ${from + n} about a piece with a title of the usual length`,
        status: 'pending',
      })),
    )
}

async function startDirectus(app: string, env: Environment, cwd: string): Promise<Subject> {
  const child = fork(cli(app), ['start'], {
    cwd,
    execArgv: [
      '--import',
      new URL('servers/answering.ts', import.meta.url).href,
      '--disable-warning=ExperimentalWarning',
    ],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const dead = once(child, 'exit').then(([code]) => {
    throw new Error(`Directus ended with ${code}`)
  })
  dead.catch(() => undefined)
  const hear = async () => ((await Promise.race([once(child, 'message'), dead])) as unknown[])[0]
  // It says so when it listens.
  await hear()
  return {
    url: env['PUBLIC_URL'] as string,
    async ask<T>(question: string) {
      const told = hear()
      child.send(question)
      return (await told) as T
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function expectDirectus(app: string, env: Environment, cwd: string, wanted: number): Promise<void> {
  await using server = await startDirectus(app, env, cwd)
  const response = await fetch(
    `${server.url}/items/approvals?aggregate%5Bcount%5D=*&filter%5Bstatus%5D%5B_eq%5D=approved`,
    { headers: { authorization: `Bearer ${token}` } },
  )
  const { data } = (await response.json()) as { data: [{ count: number }] }
  expectEqual('approvals of Directus', data[0].count, wanted)
}
