import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('server.ts', import.meta.url))

/** What a server process does. */
export type ServerRole = 'all' | 'web' | 'worker'

export interface Member {
  role: ServerRole
  port: number
  process: ChildProcess
}

export interface Installation {
  database: string
  dataDir: string
  /** Where agents call back to. */
  baseUrl: string
}

/** Starts a server process. @returns when it answers */
export async function startMember(
  role: ServerRole,
  port: number,
  { database, dataDir, baseUrl }: Installation,
): Promise<Member> {
  const child = spawn(process.execPath, ['--conditions=@copydesk/source', program], {
    env: {
      ...process.env,
      CHAOS_ROLE: role,
      CHAOS_DATABASE: database,
      CHAOS_DATA_DIR: dataDir,
      CHAOS_BASE_URL: baseUrl,
      CHAOS_PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line !== 'ready') continue
    child.stdout?.resume()
    return { role, port, process: child }
  }
  throw new Error(`the ${role} server ended before it was ready`)
}

/** Ends a server process and waits until it is gone. */
export async function endMember({ process }: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return
  const gone = once(process, 'exit')
  process.kill(signal)
  await gone
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
