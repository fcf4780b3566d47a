import { exitCodes, explain } from '@copydesk/terminal/failure'
import { withFieldsAttached } from '@copydesk/terminal/json-option'
import { createCliOutput, surviveClosedPipes } from '@copydesk/terminal/output'
import { CommanderError } from 'commander'
import { commandIn, createProgram } from './commands/program.ts'

/**
 * Runs one command line. Data goes to stdout, messages to stderr; `process.exitCode` is the result.
 * @param words those after the name of the program; none opens the client on a terminal, and prints the help
 * elsewhere
 */
export async function run(words: readonly string[]): Promise<void> {
  surviveClosedPipes()
  try {
    const program = await createProgram(words)
    const isBare =
      commandIn(words) === undefined && !words.some((word) => /^(?:-h|--help|-V|--version)$/.test(word))
    const parse = (line: readonly string[]) =>
      program.parseAsync(withFieldsAttached(program, line), { from: 'user' })
    if (!isBare) await parse(words)
    else if (process.stdin.isTTY && process.stdout.isTTY) await parse(['terminal', ...words])
    else program.outputHelp()
  } catch (error) {
    process.exitCode = report(error)
  }
}

/** Reports the error in one sentence; @returns the exit code */
function report(error: unknown): number {
  // Commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  const { message, exitCode } = explain(error)
  createCliOutput(false).error(message)
  if (process.env['COPYDESK_DEBUG']) console.error(error)
  return exitCode
}
