import { type Row, type Span, span } from '../paper/row.ts'
import type { KeyName } from './keys.ts'

/** The parts of a screen by their names, the one that is shown set off. */
export function tabRow<T extends string>(
  tabs: readonly T[],
  shown: T,
  counts: Partial<Record<T, number>> = {},
): Row {
  return tabs.flatMap((tab): Span[] => {
    const label = counts[tab] ? `${tab} ${counts[tab]}` : tab
    return tab === shown ? [span(`[${label}]`, 'strong'), span(' ')] : [span(` ${label} `, 'dim'), span(' ')]
  })
}

/** The part after a key that goes from one to the next. @returns undefined for any other key */
export function tabAfter<T extends string>(tabs: readonly T[], shown: T, key: KeyName): T | undefined {
  if (key !== 'tab' && key !== 'shift+tab') return undefined
  const step = key === 'tab' ? 1 : tabs.length - 1
  return tabs[(tabs.indexOf(shown) + step) % tabs.length]
}
