import { mayRunNamed } from '../operations/catalogue.ts'
import type { Row } from '../paper/row.ts'
import type { KeyName } from './keys.ts'
import type { Shell } from './shell.ts'

/** Columns and rows that a screen may fill. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** A key and what it does; the footer shows it, and the help explains it. */
export interface Binding {
  key: KeyName
  /** One or two words for the footer. */
  label: string
  /** A sentence for the help; default: the label. */
  help?: string
  run(): void | Promise<void>
  /** The operation that it runs: who may not run that does not have the key. */
  needs?: string
  /** In the help only: there is no room for all in the footer. */
  quiet?: true
}

/** Something that has an id and can be named on the command line. */
export interface Subject {
  kind: 'approval' | 'activity' | 'tenant' | 'role' | 'campaign'
  /** What is typed. */
  id: string
  title: string
}

/** One screen while it is open. Everything that it shows is there at once: what is still under way is said, never waited for. */
export interface Screen {
  /** Under which heading its keys stand in the help. */
  readonly name: string
  title(): Row
  /** At most `size.height` lines of at most `size.width` columns. */
  rows(size: Size): Row[]
  bindings(): readonly Binding[]
  /** Keys that no binding names, such as those that move in a list. @returns whether it meant anything */
  onKey?(key: KeyName, size: Size): boolean
  /** What stands on it: offered first where an id is typed. */
  subjects?(): readonly Subject[]
  /** Asks the server anew. */
  refresh(): void
  /** Ends what is still under way for it. */
  close(): void
}

/** Opens a screen; what it needs it gets from the shell. */
export type OpenScreen = (shell: Shell) => Screen

/** What a screen lets the person do who looks at it. */
export function bindingsOf({ desk }: Pick<Shell, 'desk'>, screen: Screen | undefined): readonly Binding[] {
  return (screen?.bindings() ?? []).filter(({ needs }) => needs === undefined || mayRunNamed(desk, needs))
}
