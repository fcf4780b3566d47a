import { CommanderError } from 'commander'
import { exitCodes, explain } from '@copydesk/terminal/failure'
import { withFieldsAttached } from '@copydesk/terminal/json-option'
import { createTalk, surviveClosedPipes } from '@copydesk/terminal/talk'
import { commandIn, createProgram } from './commands/program.ts'

surviveClosedPipes()
try {
  const words = process.argv.slice(2)
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

/** Says what went wrong in one sentence; @returns the exit code */
function report(error: unknown): number {
  // Commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  const { message, exitCode } = explain(error)
  createTalk(false).error(message)
  if (process.env['COPYDESK_DEBUG']) console.error(error)
  return exitCode
}
