import type { Command } from 'commander'
import { everyday } from '../shell/everyday.ts'
import { exitCodes, Failure } from '../shell/failure.ts'
import { example } from '../shell/help.ts'
import { connectionOf, talkOf } from '../shell/session.ts'

/** `mcp`. */
export function mcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve an assistant on stdin and stdout, by the Model Context Protocol')
    .helpGroup(everyday)
    .addHelpText('after', example('copydesk mcp', 'copydesk mcp --profile work'))
    .action(async (_options, command: Command) => {
      const talk = talkOf(command)
      const connection = await connectionOf(command, talk)
      if (connection.desk.tenant)
        throw new Failure(
          'An assistant is for reviewers and super-admins: name another login with --profile.',
          {
            exitCode: exitCodes.forbidden,
          },
        )
      const { serveOnStdio } = await import('./stdio.ts')
      talk.info(`For an assistant: ${connection.describe()}. It ends when stdin does.`)
      await serveOnStdio(connection, program.version() ?? '', talk.warn)
    })
}
