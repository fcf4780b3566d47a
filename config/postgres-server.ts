import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, join, relative } from 'node:path'
import { Client } from 'pg'

/** A PostgreSQL that was started here. */
export interface OwnServer {
  /** Of its maintenance database. */
  url: string
  /** Ends it in the middle of what it does, as a crash would, and starts it again on the same files and port. */
  restart(): Promise<void>
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL of its own from the binaries in `folder`: empty directory, free port, this machine only, and
 * without fsync and background cleaning, because nothing in it outlives the run. As root it runs as `postgres` or `no one`.
 * @param parent where its directory is made
 * @param own settings that replace those, as `name=value`
 * @throws Error with what the server said when it does not come up
 */
export async function startServer(
  folder: string,
  parent: string,
  own: readonly string[] = [],
): Promise<OwnServer> {
  const account = process.getuid?.() === 0 ? lesserAccount() : undefined
  const data = mkdtempSync(join(parent, 'copydesk-postgres-'))
  if (account) chownSync(data, account.uid, account.gid)
  const options = { ...account, cwd: data, env: { ...process.env, LC_ALL: 'C' } }
  const remove = () => rmSync(data, { recursive: true, force: true })
  try {
    execFileSync(
      join(folder, 'initdb'),
      ['-D', join(data, 'db'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
      { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const port = await freePort()
    const settings = [
      'fsync=off',
      'full_page_writes=off',
      'autovacuum=off',
      'jit=off',
      // No one follows it, and it keeps no statistics for anybody.
      'wal_level=minimal',
      'max_wal_senders=0',
      'track_counts=off',
      'update_process_title=off',
      // A backend that is started for a few statements pays for each page of it that it touches.
      'shared_buffers=32MB',
      'max_connections=200',
      `unix_socket_directories=${data}`,
      'listen_addresses=127.0.0.1',
      // The last one counts.
      ...own,
    ]
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    const begin = async () => {
      const server = spawn(
        join(folder, 'postgres'),
        ['-D', join(data, 'db'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
        { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
      )
      let said = ''
      server.stderr?.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-2_000)
      })
      await answers(url, server, () => said)
      return server
    }
    let server = await begin()
    // A run that is ended without a farewell must not leave a server behind.
    const last = () => {
      server.kill('SIGQUIT')
      remove()
    }
    process.once('exit', last)
    const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
      if (server.exitCode !== null || server.signalCode !== null) return
      const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()))
      server.kill(signal)
      await gone
    }
    return {
      url,
      async restart() {
        await end('SIGQUIT')
        server = await begin()
      },
      async stop() {
        process.removeListener('exit', last)
        await end('SIGINT')
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** PostgreSQL refuses to run as root. */
function lesserAccount(): { uid: number; gid: number } {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }).toString())
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // no such account, try the next
    }
  }
  throw new Error('PostgreSQL does not run as root and there is no account `postgres` or `no one`')
}

export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', resolve)
  })
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

async function answers(url: string, server: ChildProcess, said: () => string): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    if (server.exitCode !== null || server.signalCode !== null) {
      throw new Error(`the server ended at once: ${said().trim()}`)
    }
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return
    } catch (error) {
      if (Date.now() > deadline) {
        server.kill('SIGQUIT')
        throw new Error(`the server does not answer: ${said().trim()}`, { cause: error })
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

/** The package ships its libraries without their links and makes those in an install script, which npm may have blocked. */
export function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Array<
    Record<'source' | 'target', string>
  >) {
    const link = join(root, target)
    if (existsSync(link)) continue
    symlinkSync(join(relative(dirname(target), dirname(source)), basename(source)), link)
  }
}
