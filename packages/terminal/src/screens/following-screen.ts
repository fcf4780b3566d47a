import { slashLine } from '../operations/line.ts'
import type { AnyFollowing, Line } from '../operations/operation.ts'
import { type Row, row, span } from '../paper/row.ts'
import type { OpenScreen } from './screen.ts'
import { type Scroll, scrolled, scrollRows } from './scroll.ts'

/** How many lines are kept, so that it can stay open for days. */
const kept = 5_000

/** What happens, line by line, for as long as it is open; the newest is kept in sight until somebody looks back. */
export const followingScreen =
  (operation: AnyFollowing, input: Line['input']): OpenScreen =>
  (shell) => {
    const stop = new AbortController()
    let lines: Row[] = []
    let scroll: Scroll = { top: 0 }
    let following = true
    let piece = ''
    const follow = async () => {
      for await (const event of operation.follow(shell.desk, input as never, stop.signal)) {
        const told = operation.print(event as never, shell.paper(200))
        if ('piece' in told) piece += told.piece
        else {
          if (piece !== '') lines.push(row(piece))
          piece = ''
          lines = [...lines, ...told.lines].slice(-kept)
        }
        shell.changed()
      }
    }
    void shell.attempt(follow)
    return {
      name: 'what happens',
      title: () => row(span(slashLine(operation, input), 'strong')),
      rows(size) {
        if (lines.length === 0) return [row(span('Nothing has happened yet.', 'dim'))]
        if (following) scroll = { top: Math.max(0, lines.length - size.height) }
        return scrollRows(scroll, lines, size)
      },
      bindings: () => [],
      onKey(key, { height }) {
        const moved = scrolled(scroll, key, lines.length, height)
        if (!moved) return false
        scroll = moved
        following = moved.top >= lines.length - height
        return true
      },
      refresh: () => undefined,
      close: () => stop.abort(),
    }
  }
