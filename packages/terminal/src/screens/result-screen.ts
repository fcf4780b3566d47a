import type { StyledLine } from '../render/row.ts'
import { row, span } from '../render/row.ts'
import type { Binding, OpenScreen } from './screen.ts'
import { type Scroll, scrolled, scrollRows } from './scroll.ts'

/**
 * A scrollable screen of any number of lines.
 * @param draw returns all of them for a width
 * @param bindings further keys of the screen
 */
export function resultScreen(
  title: string,
  draw: (width: number) => StyledLine[],
  bindings: readonly Binding[] = [],
): OpenScreen {
  return () => {
    let scroll: Scroll = { top: 0 }
    let drawn: { width: number; lines: StyledLine[] } | undefined
    const linesFor = (width: number) => {
      if (drawn?.width !== width) drawn = { width, lines: draw(width) }
      return drawn.lines
    }
    return {
      name: 'the result',
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
