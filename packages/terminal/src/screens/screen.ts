import { mayRunNamed } from '../operations/catalogue.ts'
import { type StyledLine, span, type TextSpan } from '../render/row.ts'
import { type KeyName } from './keys.ts'
import type { Shell } from './shell.ts'

/** Columns and rows of a screen. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** A key and its action; shown in the footer and explained in the help. */
export interface Binding {
  key: KeyName
  /** One or two words for the footer. */
  label: string
  /** A sentence for the help; default: the label. */
  help?: string
  run(): void | Promise<void>
  /** The operation that it runs: users without the right to it do not get the key. */
  needs?: string
  /** Shown only in the help: the footer has no room for all. */
  quiet?: true
}

/** Something with an id that can be given on the command line. */
export interface Subject {
  kind: 'approval' | 'activity' | 'tenant' | 'role' | 'campaign'
  /** The text to type. */
  id: string
  title: string
}

/** One open screen. Drawing never waits: what is still loading is shown as such. */
export interface Screen {
  /** The heading of its keys in the help. */
  readonly name: string
  title(): StyledLine
  /** At most `size.height` lines of at most `size.width` columns. */
  rows(size: Size): StyledLine[]
  bindings(): readonly Binding[]
  /**
   * Handles keys without a binding, such as those that move in a list. @returns whether the key was handled
   */
  onKey?(key: KeyName, size: Size): boolean
  /** Items on the screen: suggested first when an id is typed. */
  subjects?(): readonly Subject[]
  /** Reloads its data. */
  refresh(): void
  /** Ends its pending requests and timers. */
  close(): void
}

/** Opens a screen; gets its dependencies from the shell. */
export type OpenScreen = (shell: Shell) => Screen

/** The key bindings of a screen. */
export function bindingsOf(
  { context }: Pick<Shell, 'context'>,
  screen: Screen | undefined,
): readonly Binding[] {
  return (screen?.bindings() ?? []).filter(({ needs }) => needs === undefined || mayRunNamed(context, needs))
}

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
