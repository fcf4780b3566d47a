import { spawn } from '@lydell/node-pty'
import { Terminal } from '@xterm/headless'
import { bundled } from '../kit/bundled.ts'

/** A program on a real terminal, and what stands on its screen. */
export interface Screen extends Disposable {
  /** Presses keys. */
  type(keys: string): void
  /** The lines of the screen, without what is empty at the end. */
  lines(): string[]
  /** Waits until the screen shows `text`. @throws Error when the program ends first */
  shows(text: string | RegExp): Promise<void>
  /** The exit code. */
  ended: Promise<number>
  /** The title that the program has given the window. */
  title(): string
}

/** Starts the command line on a terminal of 100 by 40. */
export async function onScreen(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Screen> {
  const size = { cols: 100, rows: 40 }
  const child = spawn(process.execPath, [await bundled('main'), ...args], {
    ...size,
    cwd,
    name: 'xterm-256color',
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TERM: 'xterm-256color', ...env },
  })
  const terminal = new Terminal({ ...size, allowProposedApi: true, scrollback: 1_000 })
  let title = ''
  terminal.onTitleChange((given) => (title = given))
  const heard = new Set<() => void>()
  child.onData((data) => terminal.write(data, () => heard.forEach((check) => check())))
  const ended = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) => terminal.write('', () => resolve(exitCode))),
  )
  const lines = () => {
    const { active } = terminal.buffer
    const all = Array.from(
      { length: active.length },
      (_, y) => active.getLine(y)?.translateToString(true) ?? '',
    )
    return all.slice(0, all.findLastIndex((line) => line !== '') + 1)
  }
  return {
    type: (keys) => child.write(keys),
    lines,
    ended,
    title: () => title,
    shows: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const shown = lines().join('\n')
          if (!(typeof text === 'string' ? shown.includes(text) : text.test(shown))) return
          heard.delete(check)
          resolve()
        }
        heard.add(check)
        check()
        void ended.then(() =>
          reject(new Error(`It ended without showing ${String(text)}:\n${lines().join('\n')}`)),
        )
      }),
    [Symbol.dispose]() {
      try {
        child.kill('SIGKILL')
      } catch {
        // It has ended by itself.
      }
      terminal.dispose()
    },
  }
}
