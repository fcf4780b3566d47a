import { flowText } from './flow.ts'
import { type StyledLine, span } from './row.ts'

/** A fact with its name. */
export type Fact = readonly [name: string, text: string]

/** Columns of the names. */
const named = 9

/** Facts below each other, each with its name before it. */
export function factRows(facts: readonly Fact[], width: number): StyledLine[] {
  return facts.flatMap(([name, text]) =>
    flowText(text, width, { first: [span(name.padEnd(named), 'dim')], rest: [span(' '.repeat(named))] }),
  )
}
