import { cleanLines } from '../render/clean.ts'
import { flowText, measured } from '../render/flow.ts'
import type { StyledLine } from '../render/row.ts'
import type { Shell } from './shell.ts'

/** The text of an activity while it is written. */
export interface LiveText {
  /** The raw text so far. */
  readonly text: string
  /** Whether the stream is open: more text may follow. */
  readonly open: boolean
  /** Its lines, wrapped to the width; only new text is wrapped again. */
  rows(width: number): readonly StyledLine[]
  /** Starts to follow the text from its beginning, unless it already follows. */
  follow(): void
  close(): void
}

export function liveText(shell: Shell, id: string): LiveText {
  const stop = new AbortController()
  let text = ''
  let open = false
  let broken = { width: 0, upTo: 0, rows: [] as StyledLine[] }

  const cutTo = (length: number) => {
    text = text.slice(0, length)
    broken = { width: 0, upTo: 0, rows: [] }
  }
  const follow = async () => {
    for await (const told of shell.client.stream('cli', 'GET /activities/:id/stream', {
      params: { id },
      signal: stop.signal,
    })) {
      if (told.event === 'activity_meta') cutTo(told.data.position)
      else if (told.event === 'text_delta') text += told.data.delta
      shell.changed()
    }
  }
  return {
    get text() {
      return text
    },
    get open() {
      return open
    },
    rows(width) {
      if (broken.width !== width) broken = { width, upTo: 0, rows: [] }
      const end = text.lastIndexOf('\n') + 1
      if (end > broken.upTo) {
        broken.rows.push(...broke(text.slice(broken.upTo, end - 1), width))
        broken.upTo = end
      }
      return end < text.length ? [...broken.rows, ...broke(text.slice(end), width)] : broken.rows
    },
    follow() {
      if (open || stop.signal.aborted) return
      open = true
      void shell.attempt(follow).then(() => {
        open = false
        shell.changed()
      })
    },
    close: () => stop.abort(),
  }
}

const broke = (text: string, width: number) =>
  cleanLines(text).flatMap((line) => flowText(line, measured(width)))
