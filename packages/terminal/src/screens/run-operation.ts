import { operationNamed } from '../operations/catalogue.ts'
import { slashLine } from '../operations/line.ts'
import { asTyped } from '../operations/refused.ts'
import type { Line } from '../operations/operation.ts'
import { refusal } from '../operations/rights.ts'
import { row, span } from '../paper/row.ts'
import type { Shell } from './shell.ts'
import type { Undoing } from './undo.ts'

export interface RunOptions {
  /** Whether the person has been asked already. */
  asked?: boolean
  /** Says nothing when it is done. */
  quiet?: boolean
  /** What is said when it is done; default: the first line that the operation prints. */
  tell?(result: unknown): string
}

/** How wide the paper is of which only the first line is told. */
const paperWidth = 200

/**
 * Runs an operation for the person: asks before one that decides, says what became of it, and remembers how it is taken back.
 * @returns undefined when it was not done, which has been said
 */
export function runOperation(
  shell: Shell,
  undoing: Undoing,
  { name, input }: Line,
  { asked = false, quiet = false, tell }: RunOptions = {},
): Promise<{ result: unknown } | undefined> {
  const { desk } = shell
  return shell.attempt(async () => {
    const operation = operationNamed(name)
    if (!operation || !('run' in operation)) throw new Error(`There is no command /${name}`)
    const why = refusal(desk, operation)
    if (why !== undefined) throw new Error(why)
    const asks = operation.does === 'decides' && !asked
    const given = ((asks ? await operation.settled?.(desk, input as never) : undefined) ?? input) as never
    if (asks) {
      const line = slashLine(operation, input)
      const preview = (await operation.preview?.(desk, given)) ?? [row(span(line))]
      if (!(await shell.confirm(`${operation.summary}? (${line})`, preview))) return undefined
    }
    if (!quiet) shell.say(`${operation.name} …`, 'dim')
    const result: unknown = await operation.run(desk, given).catch((error: unknown) => {
      throw asTyped(operation, error)
    })
    const back = operation.undo?.(given, result as never)
    if (operation.does !== 'reads') undoing.did({ name, input }, back)
    if (!quiet) {
      const [first] = operation.print(result as never, shell.paper(paperWidth))
      const text = tell?.(result) ?? (first ?? []).map((part) => part.text).join('')
      shell.say(back ? `${text} · z takes it back` : text, 'good')
    }
    shell.screens.at(-1)?.refresh()
    return { result }
  })
}
