import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryFolder } from '../cli/process.ts'
import { freePort } from './free-port.ts'

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(
  (path) => spawnSync(path, ['--version']).status === 0,
)

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
  const user = decodeURIComponent(server.username)
  writeFileSync(join(folder.path, 'users.txt'), `"${user}" "${decodeURIComponent(server.password)}"\n`)
  const config = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    ignore_startup_parameters: 'extra_float_digits',
    ...settings,
  }
  const file = join(folder.path, 'pgbouncer.ini')
  const target = `host=${server.hostname} port=${server.port || 5432} user=${user}${server.password ? ` password=${decodeURIComponent(server.password)}` : ''}`
  writeFileSync(
    file,
    `[databases]\n* = ${target}\n[pgbouncer]\n${Object.entries(config)
      .map(([name, value]) => `${name} = ${value}`)
      .join('\n')}\n`,
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
