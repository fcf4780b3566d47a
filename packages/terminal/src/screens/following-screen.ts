import { slashLine } from '../operations/invocation.ts'
import type { AnyFollowing, Invocation } from '../operations/operation.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import type { OpenScreen } from './screen.ts'
import { type Scroll, scrolled, scrollRows } from './scroll.ts'

/** Maximum number of lines, so that the screen can stay open for days. */
const kept = 5_000

/** Shows events, line by line, while it is open; scrolls to the newest until the user scrolls back. */
export const followingScreen =
  (operation: AnyFollowing, input: Invocation['input']): OpenScreen =>
  (shell) => {
    const stop = new AbortController()
    let lines: StyledLine[] = []
    let scroll: Scroll = { top: 0 }
    let following = true
    let piece = ''
    const follow = async () => {
      for await (const event of operation.follow(shell.context, input, stop.signal)) {
        const told = operation.print(event, shell.renderOptions(200))
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
      name: 'events',
      title: () => row(span(slashLine(operation, input), 'strong')),
      rows(size) {
        if (lines.length === 0) return [row(span('There are no events yet.', 'dim'))]
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
