import type { Row } from '../paper/row.ts'
import { row, span } from '../paper/row.ts'
import type { Binding, OpenScreen } from './screen.ts'
import { type Scroll, scrolled, scrollRows } from './scroll.ts'

/**
 * Lines to be read, as long as they may be.
 * @param draw gives all of them for a width
 * @param bindings what else can be done there
 */
export function resultScreen(
  title: string,
  draw: (width: number) => Row[],
  bindings: readonly Binding[] = [],
): OpenScreen {
  return () => {
    let scroll: Scroll = { top: 0 }
    let drawn: { width: number; lines: Row[] } | undefined
    const linesFor = (width: number) => {
      if (drawn?.width !== width) drawn = { width, lines: draw(width) }
      return drawn.lines
    }
    return {
      name: 'what was asked for',
      title: () => row(span(title, 'strong')),
      rows: (size) => scrollRows(scroll, linesFor(size.width), size),
      bindings: () => bindings,
      onKey(key, { width, height }) {
        const next = scrolled(scroll, key, linesFor(width).length, height)
        scroll = next ?? scroll
        return next !== undefined
      },
      refresh: () => undefined,
      close: () => undefined,
    }
  }
}
