import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { signalGroup } from './identity.ts'
import { createRecords } from './records.ts'

export interface ProcessSpec {
  /** Unique among those in progress; a part of a file name. */
  name: string
  /** The program and its arguments; no shell reads them. */
  argv: readonly string[]
  cwd: string
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>
  stdin: string
  /** The most bytes of standard output. */
  maxBytes: number
  /** Aborted, the group is asked to end, and made to after `graceMs`. */
  signal: AbortSignal
  /** Asked when the signal is aborted, with its reason. Milliseconds. */
  graceMs(reason: unknown): number
  /** Standard output as it comes, as UTF-8. */
  output(text: string): void
}

/** How a program has ended. */
export interface ProcessEnd {
  /** Null when a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
  /** The last of what it wrote to standard error. */
  stderr: string
  /** It wrote more than it may, and was ended for it. */
  tooMuch: boolean
}

/** Programs in progress for this server, each in a process group of its own that ends with it. */
export interface Processes {
  /** False where there are no process groups, as on Windows. */
  readonly supported: boolean
  /**
   * Runs a program to its end; then nothing of its group is left.
   * @throws NodeJS.ErrnoException when it cannot be started, such as `ENOENT`, `EACCES` or `E2BIG`
   */
  run(spec: ProcessSpec): Promise<ProcessEnd>
  /** Ends what servers have left behind that are gone. @returns how many groups */
  reap(): number
}

/** How much of standard error is kept, characters. */
const stderrKept = 16_384
/** How long output is waited for that someone outside of the group holds open. */
const drainMs = 1_000

/** @param folder where it is written down what is running */
export function createProcesses(options: {
  folder: string
  clock: Clock
  log: Logger
  platform?: NodeJS.Platform
}): Processes {
  const { folder, clock, log, platform = process.platform } = options
  const records = createRecords(join(folder, 'processes'), log)
  return {
    supported: platform !== 'win32',
    reap: () => records.reap(),
    async run(spec) {
      const child = await start(spec)
      const pid = child.pid as number
      records.add(spec.name, pid)
      try {
        return await attend(child, pid, spec, clock)
      } finally {
        records.remove(spec.name)
      }
    },
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

function start({ argv: [program = '', ...args], cwd, env }: ProcessSpec): Promise<Child> {
  return new Promise((resolve, reject) => {
    // Detached: the leader of a group of its own, and of a session without a terminal.
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    if (child.pid === undefined) child.once('error', reject)
    else resolve(child)
  })
}

async function attend(child: Child, pid: number, spec: ProcessSpec, clock: Clock): Promise<ProcessEnd> {
  const { signal, maxBytes } = spec
  let stderr = ''
  let bytes = 0
  let tooMuch = false
  let cancelKill: (() => void) | undefined
  const stop = () => {
    signalGroup(pid, 'SIGTERM')
    cancelKill ??= clock.after(spec.graceMs(signal.reason), () => signalGroup(pid, 'SIGKILL'))
  }
  const decoder = new StringDecoder('utf8')
  child.stdout.on('data', (chunk: Buffer) => {
    if (tooMuch) return
    bytes += chunk.length
    if (bytes <= maxBytes) return spec.output(decoder.write(chunk))
    tooMuch = true
    signalGroup(pid, 'SIGKILL')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrKept)
  })
  // A program need not read what it is told, and may end before it has.
  child.stdin.on('error', () => undefined)
  child.stdin.end(spec.stdin)
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()))
  const exited = new Promise<Pick<ProcessEnd, 'code' | 'signal'>>((resolve) => {
    child.once('exit', (code, by) => {
      // At once, while the number can be no other's.
      signalGroup(pid, 'SIGKILL')
      resolve({ code, signal: by })
    })
  })
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    const end = await exited
    await Promise.race([closed, new Promise<void>((resolve) => void clock.after(drainMs, resolve))])
    child.stdout.destroy()
    child.stderr.destroy()
    const rest = decoder.end()
    if (rest !== '' && !tooMuch) spec.output(rest)
    return { ...end, stderr, tooMuch }
  } finally {
    cancelKill?.()
    signal.removeEventListener('abort', stop)
  }
}
