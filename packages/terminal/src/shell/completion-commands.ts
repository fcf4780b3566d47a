import { Argument, type Command } from 'commander'
import { example } from './help.ts'
import { everyday } from './help-groups.ts'

/** `completion`, and the command that its scripts call for each completion. */
export function completionCommands(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and ids as you type')
    .helpGroup(everyday)
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example('source <(copydesk completion bash)', 'copydesk completion fish | source'))
    .action(async (shell: string) => {
      const { printScript } = await import('./complete.ts')
      printScript(program, shell)
    })
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .addHelpText('after', example('copydesk complete -- approve ""'))
    .action(async (words: string[], _options: object, command: Command) => {
      const { complete } = await import('./complete.ts')
      await complete(program, words, command)
    })
}
