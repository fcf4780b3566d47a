import { operationNamed, refusal } from '../operations/catalogue.ts'
import { slashLine } from '../operations/invocation.ts'
import { knowledgeRefusal } from '../operations/knowledge-access.ts'
import type { ContentHashes, Invocation } from '../operations/operation.ts'
import { asTyped } from '../operations/refused.ts'
import { row, span } from '../render/row.ts'
import type { Shell } from './shell.ts'
import type { Undoing } from './undo.ts'

export interface RunOptions {
  /** Whether the user has confirmed it already. */
  asked?: boolean
  /** The texts that the user has confirmed; absent: those of the confirmation here, if there is one. */
  seen?: ContentHashes
  /** Shows no message on success. */
  quiet?: boolean
  /** Message on success; default: the first line that the operation prints. */
  tell?(result: unknown): string
}

/** Width to render the result, of which only the first line is shown. */
const undoWidth = 200

/**
 * Runs an operation for the user: asks for confirmation where needed, reports the outcome, and records how to
 * undo it.
 * @returns undefined when it failed or was not confirmed, which has been reported
 */
export function runOperation(
  shell: Shell,
  undoing: Undoing,
  { name, input }: Invocation,
  { asked = false, seen: confirmed, quiet = false, tell }: RunOptions = {},
): Promise<{ result: unknown } | undefined> {
  const { context } = shell
  return shell.attempt(async () => {
    const operation = operationNamed(name)
    if (!operation || !('run' in operation)) throw new Error(`There is no command /${name}`)
    const why = refusal(context, operation)
    if (why !== undefined) throw new Error(why)
    const withoutAccess = operation.needsLogin ? await knowledgeRefusal(context) : undefined
    if (withoutAccess !== undefined) throw new Error(withoutAccess)
    const asks = operation.effect === 'decides' && !asked
    const given = (asks ? await operation.resolveInput?.(context, input) : undefined) ?? input
    // Before the rows: what changes in between is then refused, and not decided unseen.
    const seen = asks ? await operation.contentHashes?.(context, given) : confirmed
    if (asks) {
      const line = slashLine(operation, input)
      const preview = (await operation.preview?.(context, given)) ?? [row(span(line))]
      if (!(await shell.confirm(`${operation.summary}? (${line})`, preview))) return undefined
    }
    if (!quiet) shell.say(`${operation.name} …`, 'dim')
    const result: unknown = await operation.run(context, given, seen).catch((error: unknown) => {
      throw asTyped(operation, error)
    })
    const back = operation.undo?.(given, result)
    if (operation.effect !== 'reads') undoing.did({ name, input }, back)
    if (!quiet) {
      const [first] = operation.print(result, shell.renderOptions(undoWidth))
      const text = tell?.(result) ?? (first ?? []).map((part) => part.text).join('')
      shell.say(back ? `${text} · z undoes it` : text, 'good')
    }
    shell.screens.at(-1)?.refresh()
    return { result }
  })
}
