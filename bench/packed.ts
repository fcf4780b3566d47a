import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bundle } from '../config/bundle.ts'
import type { Installation } from './installation.ts'
import type { Subject } from './processes.ts'

/** Memory of one process, MiB. */
export interface MemorySample {
  rss: number
  heapUsed: number
  heapTotal: number
  /** Memory outside of the heap that JavaScript objects hold. */
  external: number
  /** What each space of the heap holds of the system's memory. */
  spaces: Record<string, number>
}

export interface PackedServer extends Subject {
  /** Rejects when the server ends by itself. */
  gone: Promise<never>
  /** One each ten seconds. */
  samples(): MemorySample[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
/** After a second everything is loaded, and V8 works as it will. */
const settledMs = 3_000

/**
 * Starts the bundled program by its launcher, in the environment of the service file, as an operator does: with its own settings of V8.
 * @param settings further variables of the environment
 */
export async function startPacked(
  installation: Installation,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PackedServer> {
  // Inside of node_modules, where the two packages that are not bundled are found.
  const app = join(root, 'node_modules/.cache/copydesk-bench-packed')
  await bundle(join(app, 'dist'))
  cpSync(join(root, 'bin'), join(app, 'bin'), { recursive: true })
  const memoryFile = join(folder, 'memory.jsonl')
  const logFile = join(folder, 'server.log')
  const pairs = (list: readonly object[]) => list.map((one) => Object.values(one).join(':')).join()
  const { NODE_OPTIONS: _without, ...env } = process.env
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('servers/packed.mjs', import.meta.url)),
      'serve',
      '--json',
      '--data-dir',
      folder,
      '--port',
      '0',
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        ...env,
        BENCH_PROGRAM: join(app, 'bin/copydesk.mjs'),
        BENCH_MEMORY_FILE: memoryFile,
        COPYDESK_DATABASE_URL: installation.database,
        COPYDESK_ENCRYPTION_KEYS: pairs(installation.encryptionKeys),
        COPYDESK_SIGNING_KEYS: pairs(installation.signingKeys),
        COPYDESK_LOG_FORMAT: 'json',
        // As the service file and the Dockerfile set it.
        MALLOC_ARENA_MAX: '2',
        ...settings,
      },
    },
  )
  child.stderr?.pipe(createWriteStream(logFile))
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`The server ended with ${code}: ${readFileSync(logFile, 'utf8').slice(-2_000)}`)
  })
  gone.catch(() => undefined)
  const [line] = (await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), gone])) as [Buffer]
  const { url } = JSON.parse(line.toString()) as { url: string }
  await wait(settledMs)
  return {
    url,
    gone,
    async ask<T>(question: string) {
      const answer = once(child, 'message')
      child.send(question)
      return ((await Promise.race([answer, gone])) as unknown[])[0] as T
    },
    samples() {
      if (!existsSync(memoryFile)) return []
      const lines = readFileSync(memoryFile, 'utf8').trim().split('\n')
      return lines.map((text) => JSON.parse(text) as MemorySample)
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
