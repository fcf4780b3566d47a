import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '../account/connection.ts'
import type { AnyOperation, Invocation } from '../operations/operation.ts'
import { toJson } from '../render/clean.ts'
import { exitCodes, explain } from './failure.ts'
import type { CliOutput } from './output.ts'
import { interruption, onStdout, renderOptionsNow } from './session.ts'

const usualSeconds = 5
const home = '\u001b[H'
const toLineEnd = '\u001b[K'
const toScreenEnd = '\u001b[J'

/**
 * Shows the result of an operation repeatedly until Ctrl-C: in place on a terminal, one JSON document a line
 * with `--json`. Retries while the server is offline.
 * @throws errors that a retry cannot fix
 */
export async function watchCommand(
  operation: AnyOperation,
  { context }: Pick<Connection, 'context'>,
  input: Invocation['input'],
  seconds = usualSeconds,
  output: CliOutput,
): Promise<void> {
  const signal = interruption()
  const isScreen = process.stdout.isTTY && !output.json
  if (isScreen) process.stdout.write(home + toScreenEnd)
  while (!signal.aborted) {
    try {
      const result = await operation.run(context, input)
      if (signal.aborted) return
      if (output.json) process.stdout.write(`${toJson(output.picked(result))}\n`)
      else {
        const rows = operation.print(result, renderOptionsNow())
        const room = isScreen ? (process.stdout.rows ?? rows.length) - 1 : rows.length
        const text = onStdout(rows.slice(0, room))
        process.stdout.write(
          isScreen ? home + text.replaceAll('\n', `${toLineEnd}\n`) + toLineEnd + toScreenEnd : `${text}\n`,
        )
      }
    } catch (error) {
      const { message, exitCode } = explain(error)
      if (exitCode !== exitCodes.failed) throw error
      output.warn(message)
    }
    await pause(seconds * 1_000, undefined, { signal }).catch(() => undefined)
  }
}
