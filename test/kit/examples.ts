import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Running, start } from '../cli/process.ts'

/** An example in examples/ that is an agent runtime. */
export interface ExampleRuntime {
  name: string
  command: string
  args: readonly string[]
}

const file = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url))

const node: ExampleRuntime = {
  name: 'with the kit',
  command: process.execPath,
  args: ['--conditions=@copydesk/source', file('agent-runtime/runtime.ts')],
}

const python: ExampleRuntime = {
  name: 'in Python',
  command: 'python3',
  args: ['-B', file('agent-runtime-python/runtime.py')],
}

/**
 * The examples of agent runtimes that can run on this machine. Where there is no Python 3.9 or newer, that is said aloud;
 * `COPYDESK_REQUIRE_PYTHON=1` makes it an error.
 */
export function exampleRuntimes(): ExampleRuntime[] {
  const isNewEnough = 'import sys; sys.exit(sys.version_info < (3, 9))'
  const { error, status } = spawnSync('python3', ['-c', isNewEnough])
  if (!error && status === 0) return [node, python]
  const why = `examples/agent-runtime-python: NOT tested, because there is no python3 of version 3.9 or newer`
  if (process.env['COPYDESK_REQUIRE_PYTHON'] === '1') throw new Error(why)
  console.warn(why)
  return [node]
}

export interface RunningRuntime extends Running, AsyncDisposable {
  url: string
}

/** Starts an example that reports to `copydesk`, on any free port. */
export async function startRuntime(
  { command, args }: ExampleRuntime,
  copydesk: string,
  secret: string,
): Promise<RunningRuntime> {
  const env = { SECRET: secret, PORT: '0', COPYDESK_URL: copydesk }
  const running = start(command, args, { cwd: process.cwd(), env })
  await running.says(`reports to ${copydesk}`)
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(running.said().stdout) ?? []
  return {
    ...running,
    url,
    async [Symbol.asyncDispose]() {
      running.child.kill('SIGKILL')
      await running.ended
    },
  }
}
