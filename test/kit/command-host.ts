import type { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { run } from '../../packages/server/src/run.ts'
import type { CommandLine, CommandResult } from './command-hosting.ts'

/**
 * Runs one command line after the other for the process that started it. Each has its own arguments, environment, folder, input, output and
 * exit code; what it registered at the process is removed after it.
 */

const emitters: Readonly<Record<string, EventEmitter>> = {
  process,
  stdout: process.stdout,
  stderr: process.stderr,
}
const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'error'] as const

async function perform({ args, env, cwd, input }: CommandLine): Promise<CommandResult> {
  process.argv = [process.execPath, 'copydesk', ...args]
  // In place: what the C library and other modules hold is this object.
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.exitCode = undefined
  const stdin = Readable.from(input === undefined ? [] : [Buffer.from(input)])
  Object.defineProperty(process, 'stdin', { configurable: true, value: stdin })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
      output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
      const done = rest.find((each) => typeof each === 'function')
      if (done) queueMicrotask(done as () => void)
      return true
    }
  }
  const registered = takeListeners()
  await run(args)
  // What is written at the next turn of the loop, as log lines are, is part of it.
  await new Promise(setImmediate)
  removeFurther(registered)
  return { code: exitCode(), ...output }
}

/** Read after the command has set it: a number, or nothing. */
function exitCode(): number {
  return Number(process.exitCode ?? 0)
}

type Listeners = Map<string, readonly unknown[]>

function takeListeners(): Listeners {
  return new Map(
    Object.entries(emitters).flatMap(([name, emitter]) =>
      events.map((event) => [`${name} ${event}`, emitter.rawListeners(event)] as const),
    ),
  )
}

function removeFurther(before: Listeners): void {
  for (const [name, emitter] of Object.entries(emitters)) {
    for (const event of events) {
      const kept = before.get(`${name} ${event}`) ?? []
      for (const listener of emitter.rawListeners(event))
        if (!kept.includes(listener)) emitter.removeListener(event, listener as () => void)
    }
  }
}

process.on('message', (line: CommandLine) => {
  void perform(line).then((result) => process.send?.(result))
})
process.on('disconnect', () => process.exit())
