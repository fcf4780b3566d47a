import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/** One command line, as it would be started in a process of its own. */
export interface CommandLine {
  args: readonly string[]
  env: Record<string, string>
  cwd: string
  input?: string
}

export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

/** A process that runs command lines, one at a time. It ends with the process that started it. */
export interface CommandHost {
  readonly isBusy: boolean
  run(
    args: readonly string[],
    env: Record<string, string>,
    options: { cwd: string; input?: string },
  ): Promise<CommandResult & { signal: null }>
}

/** @param program the path of the bundled `command-host.ts` */
export function startCommandHost(program: string): CommandHost {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let crash = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (crash += text))
  // It must not keep a worker of the tests from ending.
  child.unref()
  ;(child.stderr as Socket).unref()
  child.channel?.unref()
  let isBusy = false
  return {
    get isBusy() {
      return isBusy
    },
    run(args, env, { cwd, input }) {
      isBusy = true
      child.channel?.ref()
      return new Promise<CommandResult>((resolve, reject) => {
        const ended = (code: number | null) =>
          reject(new Error(`The command host ended with ${code}: ${args.join(' ')}\n${crash}`))
        child.once('exit', ended)
        child.once('message', (result) => {
          child.removeListener('exit', ended)
          resolve(result as CommandResult)
        })
        child.send({ args, env, cwd, ...(input !== undefined && { input }) } satisfies CommandLine)
      })
        .finally(() => {
          isBusy = false
          child.channel?.unref()
        })
        .then((result) => ({ ...result, signal: null }))
    },
  }
}
