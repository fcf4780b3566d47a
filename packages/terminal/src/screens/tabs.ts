import { type StyledLine, span, type TextSpan } from '../render/row.ts'
import type { KeyName } from './keys.ts'

/** The tabs of a screen by their names, the active one highlighted. */
export function tabRow<T extends string>(
  tabs: readonly T[],
  shown: T,
  counts: Partial<Record<T, number>> = {},
): StyledLine {
  return tabs.flatMap((tab): TextSpan[] => {
    const label = counts[tab] ? `${tab} ${counts[tab]}` : tab
    return tab === shown ? [span(`[${label}]`, 'strong'), span(' ')] : [span(` ${label} `, 'dim'), span(' ')]
  })
}

/** The tab after a key that switches. @returns undefined for any other key */
export function tabAfter<T extends string>(tabs: readonly T[], shown: T, key: KeyName): T | undefined {
  if (key !== 'tab' && key !== 'shift+tab') return undefined
  const step = key === 'tab' ? 1 : tabs.length - 1
  return tabs[(tabs.indexOf(shown) + step) % tabs.length]
}
