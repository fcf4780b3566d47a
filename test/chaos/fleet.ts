import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { CopydeskOptions } from '@copydesk/core'
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
