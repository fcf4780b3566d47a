import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CopydeskOptions } from '@copydesk/core'
import { onTestFinished } from 'vitest'
import { freePort } from '../../config/postgres-server.ts'
import { startServing } from '../kit/serving.ts'
import { keysOfChaos } from './seed.ts'

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
  /** Settings of its own, as of payments. */
  more?: Partial<CopydeskOptions>
}

/** An installation that no one has set up yet, with a folder that goes when the test ends, and the port of its server. */
export async function newInstallation(
  database: string,
  more: Partial<CopydeskOptions> = {},
): Promise<{ installation: Installation; port: number }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-chaos-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const port = await freePort()
  return { installation: { database, dataDir, baseUrl: `http://127.0.0.1:${port}`, more }, port }
}

/** Starts a server process. @returns when it answers */
export async function startMember(
  role: ServerRole,
  port: number,
  { database, dataDir, baseUrl, more = {} }: Installation,
): Promise<Member> {
  const worker = role === 'web' ? (false as const) : { concurrency: 8, leaseMs: 1_500 }
  const options = { ...keysOfChaos, database, dataDir, baseUrl, worker, writerPaceMs: 1, ...more }
  // What goes wrong here is meant to; CHAOS_LOG shows it.
  const log = process.env['CHAOS_LOG'] ? 'info' : 'silent'
  const { child } = await startServing({ options, port, log })
  return { role, port, process: child }
}

/** Ends a server process and waits until it is gone. */
export async function endMember({ process }: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return
  const gone = once(process, 'exit')
  process.kill(signal)
  await gone
}
