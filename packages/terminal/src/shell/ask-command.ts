import type { Connection } from '../account/connection.ts'
import { type Answer, actionRows, ask } from '../operations/ask.ts'
import { parseInvocation } from '../operations/catalogue.ts'
import { checkedInput } from '../operations/invocation.ts'
import type { Invocation } from '../operations/operation.ts'
import { Failure } from './failure.ts'
import type { CliOutput } from './output.ts'
import { canAsk, confirmed } from './prompts.ts'
import { performed, resolveInput } from './run-command.ts'
import { onStderr, onStdout, renderOptionsNow, stderrOptions } from './session.ts'

/**
 * Asks in plain words. What the server proposes is executed with `--yes`, or when the user at the terminal
 * confirms.
 * @throws Failure when the server asks back: its question goes to stderr, with `--json` to stdout
 */
export async function askCommand(
  connection: Connection,
  words: Invocation['input'],
  yes: boolean,
  output: CliOutput,
): Promise<void> {
  const answer: Answer = await ask.run(connection.context, checkedInput(ask, words))
  const { action, clarification } = answer
  if (clarification) {
    // For a program the server's question is data; for a person it is a message, which must not go into a
    // pipe.
    if (output.json) output.data(answer, () => '')
    else
      process.stderr.write(`${onStderr(ask.print(answer, { ...renderOptionsNow(), ...stderrOptions() }))}\n`)
    throw new Failure('Nothing was done: the request is ambiguous.')
  }
  const isAsked = !yes && !output.json && canAsk()
  if (!action || !(yes || isAsked)) {
    output.data(answer, () => onStdout(ask.print(answer, renderOptionsNow())))
    return
  }
  const { operation, input } = parseInvocation(action.command)
  if (!('run' in operation))
    throw new Failure(`Run \`copydesk ${action.command.replace(/^\//, '')}\` for that.`)
  const proposed = await resolveInput(operation, connection, input)
  process.stderr.write(`${onStderr(actionRows(action, stderrOptions().width))}\n`)
  if (isAsked && !(await confirmed('Run it?', undefined))) return output.info('It was not executed.')
  await performed(operation, connection, proposed, output)
}
