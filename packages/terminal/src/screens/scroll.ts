import { cutRow, row, type StyledLine, span } from '../render/row.ts'
import type { KeyName } from './keys.ts'
import type { Binding, OpenScreen, Screen, Size } from './screen.ts'

/** The scroll position in a longer text. */
export interface Scroll {
  readonly top: number
}

/** The position after a key that scrolls. @returns undefined for any other key */
export function scrolled({ top }: Scroll, key: KeyName, lines: number, height: number): Scroll | undefined {
  const lowest = Math.max(0, lines - height)
  const to = (place: number) => ({ top: Math.max(0, Math.min(lowest, place)) })
  const page = Math.max(1, height - 2)
  switch (key) {
    case 'up':
    case 'k':
      return to(top - 1)
    case 'down':
    case 'j':
      return to(top + 1)
    case 'pageup':
    case 'ctrl+b':
      return to(top - page)
    case 'pagedown':
    case 'ctrl+f':
    case 'space':
      return to(top + page)
    case 'home':
    case 'g':
      return to(0)
    case 'end':
    case 'G':
      return to(lowest)
    default:
      return undefined
  }
}

/** The visible lines, the last of them with the number of lines below. */
export function scrollRows(
  { top }: Scroll,
  lines: readonly StyledLine[],
  { width, height }: Size,
): StyledLine[] {
  const from = Math.max(0, Math.min(top, lines.length - height))
  const seen = lines.slice(from, from + height).map((line) => cutRow(line, width))
  const below = lines.length - from - height
  return below > 0 ? [...seen.slice(0, -1), row(span(`  ↓ ${below + 1} more lines`, 'dim'))] : seen
}

/** A screen of one thing that can be scrolled. @param draw returns all its lines for a width */
export function scrollingScreen(
  draw: (width: number) => readonly StyledLine[],
  rest: Omit<Screen, 'rows' | 'onKey'>,
): Screen {
  let scroll: Scroll = { top: 0 }
  let lines: readonly StyledLine[] = []
  return {
    ...rest,
    rows(size) {
      lines = draw(size.width)
      return scrollRows(scroll, lines, size)
    },
    onKey(key, { height }) {
      scroll = scrolled(scroll, key, lines.length, height) ?? scroll
      return true
    },
  }
}

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
