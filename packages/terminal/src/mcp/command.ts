import type { Command } from 'commander'
import { exitCodes, Failure } from '../shell/failure.ts'
import { example } from '../shell/help.ts'
import { everyday } from '../shell/help-groups.ts'
import { connectionOf, outputOf } from '../shell/session.ts'

/** `mcp`. */
export function mcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve an assistant on stdin and stdout, with the Model Context Protocol')
    .helpGroup(everyday)
    .addHelpText('after', example('copydesk mcp', 'copydesk mcp --profile work'))
    .action(async (_options, command: Command) => {
      const output = outputOf(command)
      const connection = await connectionOf(command, output)
      if (connection.context.tenant)
        throw new Failure(
          'An assistant is for reviewers and super-admins: name another login with --profile.',
          {
            exitCode: exitCodes.forbidden,
          },
        )
      const { serveOnStdio } = await import('./stdio.ts')
      output.info(`Serving an assistant: ${connection.describe()}. Ends when stdin is closed.`)
      await serveOnStdio(connection, program.version() ?? '', output.warn)
    })
}
