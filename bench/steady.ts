import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bundle } from '../config/bundle.ts'
import { type Installation, installationIn, seed } from './installation.ts'
import { type Bench, median } from './measure.ts'
import { temporaryFolder } from './processes.ts'
import { beginWork } from './steady-work.ts'

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

const root = fileURLToPath(new URL('..', import.meta.url))

/** Hours of light work in minutes: what the packed server holds while people read and decide, and agents write. */
export const steady: Bench = {
  name: 'steady',
  long: true,
  async run({ minutes }, say) {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const seeded = await seed(installation, { approvals: 60, reviewers: 10 })
    await using server = await startPacked(installation, folder.path)
    const work = await beginWork(server.url, installation, seeded)
    const begun = performance.now()
    const each: number[] = []
    while (performance.now() - begun < minutes * 60_000) {
      await Promise.race([wait(Math.min(60_000, minutes * 60_000)), server.gone, work.failed])
      const samples = server.samples()
      each.push(median(samples.slice(-6).map(({ rss }) => rss)))
      say(`  minute ${each.length}: ${describe(samples.at(-1))}; ${work.summary()}`)
    }
    await work.finish()
    const last = each.at(-1) as number
    const before = each[Math.ceil(each.length * 0.75) - 1] as number
    return {
      'steady.memory': { value: last, unit: 'MiB in the last minute', aim: '200 MiB' },
      'steady.memory.before': { value: before, unit: 'MiB after three quarters of the time' },
      'steady.growth': { value: last - before, unit: 'MiB more in the last quarter', aim: 'flat: below 5' },
      'steady.heap': {
        value: server.samples().at(-1)?.heapUsed ?? 0,
        unit: 'MiB of the heap in use at the end',
      },
    }
  },
}

function describe(sample?: MemorySample): string {
  if (!sample) return 'no sample yet'
  const { rss, heapUsed, heapTotal, external, spaces } = sample
  const largest = Object.entries(spaces)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([name, held]) => `${name.replace('_space', '')} ${held}`)
  return `${rss} MiB: heap ${heapUsed} of ${heapTotal}, external ${external}; ${largest.join(', ')}`
}

/** Starts the bundled program by its launcher, as an operator does. */
async function startPacked(installation: Installation, folder: string) {
  // Inside of node_modules, where the two packages that are not bundled are found.
  const app = join(root, 'node_modules/.cache/copydesk-bench-steady')
  await bundle(join(app, 'dist'))
  cpSync(join(root, 'bin'), join(app, 'bin'), { recursive: true })
  const memoryFile = join(folder, 'memory.jsonl')
  const logFile = join(folder, 'server.log')
  const pairs = (list: readonly object[]) => list.map((one) => Object.values(one).join(':')).join()
  const { NODE_OPTIONS: _without, ...env } = process.env
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('servers/memory-probe.mjs', import.meta.url)),
      'serve',
      '--json',
      '--data-dir',
      folder,
      '--port',
      '0',
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...env,
        BENCH_PROGRAM: join(app, 'bin/copydesk.mjs'),
        BENCH_MEMORY_FILE: memoryFile,
        COPYDESK_DATABASE_URL: installation.database,
        COPYDESK_ENCRYPTION_KEYS: pairs(installation.encryptionKeys),
        COPYDESK_SIGNING_KEYS: pairs(installation.signingKeys),
        COPYDESK_LOG_FORMAT: 'json',
      },
    },
  )
  child.stderr.pipe(createWriteStream(logFile))
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`The server ended with ${code}: ${readFileSync(logFile, 'utf8').slice(-2_000)}`)
  })
  gone.catch(() => undefined)
  const [line] = (await Promise.race([once(child.stdout, 'data'), gone])) as [Buffer]
  const { url } = JSON.parse(line.toString()) as { url: string }
  return {
    url,
    gone,
    /** One each ten seconds. */
    samples(): MemorySample[] {
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
