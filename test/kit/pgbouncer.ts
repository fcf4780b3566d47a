import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { findPgBouncer } from '../../config/pgbouncer.ts'
import { freePort } from '../../config/postgres-server.ts'
import { temporaryFolder } from '../cli/process.ts'

const program = findPgBouncer()

/** True where PgBouncer is installed (`apt install pgbouncer`). */
export const hasPgBouncer = program !== undefined

export interface PgBouncer extends AsyncDisposable {
  /** The URL of a database through the pooler. */
  through(url: string): string
}

/** Starts a PgBouncer before the server of a database. */
export async function startPgBouncer(
  url: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncer> {
  // Another program may take a port that was free a moment before.
  for (let tries = 1; ; tries += 1) {
    const pooler = await startOn(await freePort(), new URL(url), settings)
    if (pooler) return pooler
    if (tries === 5) throw new Error('PgBouncer does not start')
  }
}

/** @returns undefined where it ends at once */
async function startOn(
  port: number,
  server: URL,
  settings: Readonly<Record<string, string | number>>,
): Promise<PgBouncer | undefined> {
  const folder = temporaryFolder()
  const target = {
    host: server.hostname,
    port: server.port || 5432,
    user: decodeURIComponent(server.username),
    ...(server.password && { password: decodeURIComponent(server.password) }),
  }
  const config = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    ignore_startup_parameters: 'extra_float_digits',
    ...settings,
  }
  const pairs = (of: object) => Object.entries(of).map(([name, value]) => `${name}=${value}`)
  const file = join(folder.path, 'pgbouncer.ini')
  writeFileSync(
    file,
    ['[databases]', `* = ${pairs(target).join(' ')}`, '[pgbouncer]', ...pairs(config), ''].join('\n'),
  )
  // PgBouncer refuses to run as root, and its own user has to read the file.
  chmodSync(folder.path, 0o755)
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program ?? '', [...asUser, file], { stdio: 'ignore' })
  const exited = new Promise((resolve) => void child.once('exit', resolve))
  while (child.exitCode === null && !(await answers(port))) await pause(20)
  if (child.exitCode !== null) {
    folder[Symbol.dispose]()
    return undefined
  }
  return {
    through(to) {
      const at = new URL(to)
      at.host = `127.0.0.1:${port}`
      return at.href
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
      folder[Symbol.dispose]()
    },
  }
}

/** Whether a PgBouncer listens there, and no other program: only it has a database of this name. */
async function answers(port: number): Promise<boolean> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'pgbouncer' })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('show version')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
