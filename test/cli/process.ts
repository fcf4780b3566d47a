import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundled, shortLived } from '../kit/bundled.ts'
import { type CommandHost, startCommandHost } from '../kit/command-hosting.ts'
import { folderOfRun } from '../kit/database.ts'

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  cwd: string
  /** The whole environment beside PATH and HOME, which is `cwd`. */
  env?: Record<string, string> | undefined
  input?: string
}

/** A process that was started, with what it has said so far. */
export interface Running {
  child: ChildProcess
  ended: Promise<Ended>
  /** Waits until `text` appears on stdout or stderr. @throws Error when the process ends first */
  says(text: string): Promise<void>
  said(): { stdout: string; stderr: string }
}

/** An empty folder that is gone when the test is over. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'copydesk-cli-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A port at which nothing answers for as long as it is held, whatever else runs on this machine: connections are cut. */
export async function silentPort() {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    /** An installation whose server, by its configuration, is at this port. */
    env: { COPYDESK_PORT: String(port) },
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** Starts the command line. */
export async function startCli(args: readonly string[], options: RunOptions): Promise<Running> {
  return start(process.execPath, [...shortLived, await bundled('main'), ...args], options)
}

/** Runs the command line to its end, in a process of its own. */
export async function cliProcess(args: readonly string[], options: RunOptions): Promise<Ended> {
  return (await startCli(args, options)).ended
}

let host: CommandHost | undefined

/**
 * Runs the command line to its end, in a process that has loaded it already: a fraction of the cost of a new one. Where that
 * process is busy, a new one is started.
 */
export async function cli(args: readonly string[], options: RunOptions): Promise<Ended> {
  host ??= startCommandHost(await bundled('command-host'))
  return host.isBusy ? cliProcess(args, options) : host.run(args, environmentOf(options), options)
}

/** Sets an installation up in `cwd` by `copydesk up`, and ends it again. @returns what it said meanwhile */
export async function setUpAnew(cwd: string): Promise<string> {
  const running = await startCli(['up', '--port', '0'], { cwd })
  await running.says('serves http')
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  if (code !== 0) throw new Error(`copydesk up ended with ${code}:\n${stderr}`)
  return stderr
}

let installation: Promise<string> | undefined

/** Gives `cwd` the files of an installation that was set up, as they were before it was ever used. */
export async function setUpIn(cwd: string): Promise<void> {
  const source = await (installation ??= setUpOnce())
  cpSync(source, cwd, { recursive: true, force: false, errorOnExist: true })
}

async function setUpOnce(): Promise<string> {
  const folder = join(folderOfRun(), `installation-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  await setUpAnew(folder)
  return folder
}

function environmentOf({ cwd, env }: Pick<RunOptions, 'cwd' | 'env'>): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  // Each command has a home of its own, and would compile everything again.
  return { PATH, HOME: cwd, NODE_COMPILE_CACHE, ...env }
}

export function start(command: string, args: readonly string[], { cwd, env, input }: RunOptions): Running {
  const child = spawn(command, args, { cwd, env: environmentOf({ cwd, env }) })
  let stdout = ''
  let stderr = ''
  const heard = new Set<() => void>()
  const hear = () => {
    for (const check of heard) check()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    hear()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    hear()
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!stdout.includes(text) && !stderr.includes(text)) return
        heard.delete(check)
        resolve()
      }
      heard.add(check)
      check()
      ended.then(() => reject(new Error(`It ended without saying "${text}":\n${stdout}${stderr}`)), reject)
    })
  return { child, ended, says, said: () => ({ stdout, stderr }) }
}
