import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '../account/connection.ts'
import type { AnyOperation, Line } from '../operations/operation.ts'
import { toJson } from '../paper/json.ts'
import { exitCodes, explain } from './failure.ts'
import { interruption, onStdout, paperNow } from './session.ts'
import type { Talk } from './talk.ts'

const usualSeconds = 5
const home = '\u001b[H'
const toLineEnd = '\u001b[K'
const toScreenEnd = '\u001b[J'

/**
 * Shows the result of an operation again and again until Ctrl-C: in its place on a terminal, one JSON document a line with
 * `--json`. A server that is away is waited for.
 * @throws what would be wrong each time
 */
export async function watchCommand(
  operation: AnyOperation,
  { desk }: Pick<Connection, 'desk'>,
  input: Line['input'],
  seconds = usualSeconds,
  talk: Talk,
): Promise<void> {
  const signal = interruption()
  const isScreen = process.stdout.isTTY && !talk.json
  if (isScreen) process.stdout.write(home + toScreenEnd)
  while (!signal.aborted) {
    try {
      const result = await operation.run(desk, input as never)
      if (signal.aborted) return
      if (talk.json) process.stdout.write(`${toJson(talk.picked(result))}\n`)
      else {
        const rows = operation.print(result as never, paperNow())
        const room = isScreen ? (process.stdout.rows ?? rows.length) - 1 : rows.length
        const text = onStdout(rows.slice(0, room))
        process.stdout.write(
          isScreen ? home + text.replaceAll('\n', `${toLineEnd}\n`) + toLineEnd + toScreenEnd : `${text}\n`,
        )
      }
    } catch (error) {
      const { message, exitCode } = explain(error)
      if (exitCode !== exitCodes.failed) throw error
      talk.warn(message)
    }
    await pause(seconds * 1_000, undefined, { signal }).catch(() => undefined)
  }
}
