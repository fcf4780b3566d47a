import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { expect } from 'vitest'

export interface TerminalOptions {
  command: string
  args: readonly string[]
  cwd: string
  env?: Record<string, string>
  columns?: number
  rows?: number
}

/** A program on a real pseudo-terminal, and what a person would see of it. */
export interface Terminal extends AsyncDisposable {
  /** Every line of the screen, without the spaces at its end. */
  lines(): string[]
  screen(): string
  /** Waits until the screen shows it. */
  shows(text: string | RegExp): Promise<void>
  /** Waits until the screen does not show it any more. */
  hides(text: string | RegExp): Promise<void>
  /** Types letters, or keys by the names in `keys`. */
  press(...typed: string[]): void
  paste(text: string): void
  resize(columns: number, rows: number): Promise<void>
  /** The place of the first line with a text; -1 where there is none. */
  lineWith(text: string): number
  /** In which column of the terminal a text begins on a line. */
  columnOf(line: number, text: string): number
  /** Whether the letter at a place is drawn inverse, as what is chosen is. */
  isChosen(line: number): boolean
  /** Whether anything on the screen has a colour. */
  hasColour(): boolean
  /** All that the program has written, with its control sequences. */
  written(): string
  kill(signal: NodeJS.Signals): void
  ended: Promise<number>
}

const keys: Record<string, string> = {
  enter: '\r',
  escape: '\u001b',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  pageup: '\u001b[5~',
  pagedown: '\u001b[6~',
  home: '\u001b[H',
  end: '\u001b[F',
  tab: '\t',
  backspace: '\u007f',
  'ctrl+c': '\u0003',
  'ctrl+u': '\u0015',
  'ctrl+z': '\u001a',
}

/** Starts a program in a terminal of 80 × 24, or of another size. It is ended with the test. */
export function openTerminal({
  command,
  args,
  cwd,
  env,
  columns = 80,
  rows = 24,
}: TerminalOptions): Terminal {
  const view = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const child = spawn(command, [...args], {
    name: env?.['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
  })
  let written = ''
  child.onData((data) => {
    written += data
    view.write(data)
  })
  // What a terminal answers when it is asked where its cursor is and what it can do.
  view.onData((data) => child.write(data))
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)))
  const lines = () =>
    Array.from({ length: view.rows }, (_, row) =>
      (
        view.buffer.active.getLine(view.buffer.active.viewportY + row)?.translateToString(true) ?? ''
      ).trimEnd(),
    )
  const screen = () => lines().join('\n')
  const cells = (row: number) => {
    const line = view.buffer.active.getLine(view.buffer.active.viewportY + row)
    return Array.from({ length: view.cols }, (_, column) => line?.getCell(column))
  }
  return {
    lines,
    screen,
    shows: (text) => expect.poll(screen, { message: `the screen shows ${String(text)}` }).toMatch(text),
    hides: (text) => expect.poll(screen, { message: `the screen hides ${String(text)}` }).not.toMatch(text),
    press(...typed) {
      for (const key of typed) child.write(keys[key] ?? key)
    },
    paste: (text) => child.write(`\u001b[200~${text}\u001b[201~`),
    async resize(width, height) {
      view.resize(width, height)
      child.resize(width, height)
    },
    lineWith: (text) => lines().findIndex((line) => line.includes(text)),
    columnOf(row, text) {
      const letters = cells(row).map((cell) => cell?.getChars() ?? '')
      return letters.findIndex((_, column) =>
        letters
          .slice(column)
          .map((letter) => letter || ' ')
          .join('')
          .startsWith(text),
      )
    },
    isChosen: (row) => cells(row).some((cell) => cell?.isInverse()),
    hasColour: () =>
      lines().some((_, row) =>
        cells(row).some((cell) => cell && (!cell.isFgDefault() || !cell.isBgDefault())),
      ),
    written: () => written,
    kill: (signal) => child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      view.dispose()
    },
  }
}
