import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
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
  const server = new URL(url)
  const folder = temporaryFolder()
  const port = await freePort()
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

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
