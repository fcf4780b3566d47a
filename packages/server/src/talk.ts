import { colors } from 'consola/utils'

/** What a command says: data goes to stdout, talk to stderr, so that a pipe only ever gets data. */
export interface Talk {
  readonly json: boolean
  /** The result: one JSON document with `--json`, else what `text` returns. */
  data(value: unknown, text: () => string): void
  info(message: string): void
  done(message: string): void
  warn(message: string): void
  error(message: string): void
}

export function createTalk(json: boolean): Talk {
  const say = (text: string) => void process.stderr.write(`${text}\n`)
  const paint = process.stderr.isTTY ? colors : undefined
  return {
    json,
    data: (value, text) => void process.stdout.write(`${json ? JSON.stringify(value, null, 2) : text()}\n`),
    info: say,
    done: (message) => say(`${paint?.green('✔') ?? '✔'} ${message}`),
    warn: (message) => say(`${paint?.yellow('warning:') ?? 'warning:'} ${message}`),
    error: (message) => say(`${paint?.red('error:') ?? 'error:'} ${message}`),
  }
}

/** A reader that goes away (`copydesk routes | head`, a closed terminal) is no fault of the program. */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    })
  }
}

/** Rows in columns as wide as their widest cell, under a line of titles. */
export function table(titles: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const all = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
