import { Argument, type Command } from 'commander'
import { everyday } from './everyday.ts'
import { example } from './help.ts'

/** `completion`, and what the scripts that it prints ask for each time. */
export function completionCommands(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and ids as you type')
    .helpGroup(everyday)
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
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
