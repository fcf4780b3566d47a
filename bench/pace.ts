/** How much text comes, and how fast. */
export interface Pace {
  runs: number
  /** Pieces of text of each run. */
  deltas: number
  /** Milliseconds between two pieces of one run. */
  everyMs: number
}

/** Milliseconds of a clock that all processes of the machine share. */
export const now = () => Number(process.hrtime.bigint()) / 1e6

/** A piece of text that says when it was written: as long as a word, with a mark at its end. */
export function clockText(): string {
  return `${now().toFixed(3)};`
}

/** The times in what a watcher was sent, milliseconds of that clock. A piece that was cut in two is left for later. */
export function timesIn(text: string): { times: number[]; rest: string } {
  const end = text.lastIndexOf(';') + 1
  return { times: (text.slice(0, end).match(/\d+\.\d{3}(?=;)/g) ?? []).map(Number), rest: text.slice(end) }
}
