import type { Connection } from '../account/connection.ts'
import { actionRows, type Answer, ask } from '../operations/ask.ts'
import { readLine } from '../operations/catalogue.ts'
import type { Line } from '../operations/operation.ts'
import { canAsk, confirmed } from './asking.ts'
import { Failure } from './failure.ts'
import { performed, settled } from './run-command.ts'
import { onStderr, onStdout, paperNow, stderrPaper } from './session.ts'
import type { Talk } from './talk.ts'

/**
 * Asks in plain words. What the server proposes to do is done with `--yes`, or when the person at the terminal agrees.
 * @throws Failure when the server asks back: its question goes to stderr, with `--json` to stdout
 */
export async function askCommand(
  connection: Connection,
  words: Line['input'],
  yes: boolean,
  talk: Talk,
): Promise<void> {
  const answer: Answer = await ask.run(connection.desk, words as never)
  const { action, clarification } = answer
  if (clarification) {
    // To a program the question is data; to a person it is no answer that could go down a pipe.
    if (talk.json) talk.data(answer, () => '')
    else process.stderr.write(`${onStderr(ask.print(answer, { ...paperNow(), ...stderrPaper() }))}\n`)
    throw new Failure('Nothing was done: it is not clear what is meant.')
  }
  const isAsked = !yes && !talk.json && canAsk()
  if (!action || !(yes || isAsked)) {
    talk.data(answer, () => onStdout(ask.print(answer, paperNow())))
    return
  }
  const { operation, input } = readLine(action.command)
  if (!('run' in operation))
    throw new Failure(`Run \`copydesk ${action.command.replace(/^\//, '')}\` for that.`)
  const proposed = await settled(operation, connection, input)
  process.stderr.write(`${onStderr(actionRows(action, stderrPaper().width))}\n`)
  if (isAsked && !(await confirmed('Run it?', undefined))) return talk.info('It was not run.')
  await performed(operation, connection, proposed, talk)
}
