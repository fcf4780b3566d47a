import { CommanderError } from 'commander'
import { createProgram } from './commands/program.ts'
import { exitCodes, explain } from './failure.ts'
import { createTalk, surviveClosedPipes } from './talk.ts'

surviveClosedPipes()
try {
  const program = createProgram()
  if (process.argv.length > 2) await program.parseAsync(process.argv)
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
