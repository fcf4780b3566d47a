import { fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A program under load, in a process of its own. */
export interface Subject extends AsyncDisposable {
  url: string
  /** Asks the program something; see `servers/questions.mjs`. */
  ask<T>(question: string): Promise<T>
}

/** A folder that is gone when disposed. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'copydesk-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts a program of `bench/servers` or `bench/peers`; its standard error, the log, goes to a file as it would in service. */
export async function startSubject(file: string, settings: object, folder: string): Promise<Subject> {
  const logFile = join(folder, `${file.replaceAll('/', '-')}.log`)
  const log = openSync(logFile, 'a')
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(settings)], {
    execArgv: ['--conditions=@copydesk/source', '--expose-gc', '--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', log, 'ipc'],
  })
  closeSync(log)
  const dead = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code}:\n${readFileSync(logFile, 'utf8').slice(-3_000)}`)
  })
  dead.catch(() => undefined)
  const hear = async () => ((await Promise.race([once(child, 'message'), dead])) as unknown[])[0]
  const { port } = (await hear()) as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    async ask<T>(question: string) {
      const answer = hear()
      child.send(question)
      return (await answer) as T
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
