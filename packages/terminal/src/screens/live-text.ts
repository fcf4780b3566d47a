import { cleanLines } from '../paper/clean.ts'
import { flowText, measured } from '../paper/flow.ts'
import type { Row } from '../paper/row.ts'
import type { Shell } from './shell.ts'

/** The text of an activity while it is written. */
export interface LiveText {
  /** As it came, up to now. */
  readonly text: string
  /** Whether the stream is open: more may come. */
  readonly open: boolean
  /** Its lines, broken to the width; only what has come since is broken anew. */
  rows(width: number): readonly Row[]
  /** Follows from the start when it does not follow already. */
  follow(): void
  close(): void
}

export function liveText(shell: Shell, id: string): LiveText {
  const stop = new AbortController()
  let text = ''
  let open = false
  let broken = { width: 0, upTo: 0, rows: [] as Row[] }

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
