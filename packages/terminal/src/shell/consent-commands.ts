import type { Command } from 'commander'
import { everyday, example } from './help.ts'

const id = '01J9ZX6T4QH8C3V5N7M2K0B1AD'

/** `consent list|show|give|decline`: consents to operations of assistants. */
export function consentCommands(program: Command): void {
  const group = program
    .command('consent')
    .description('give or decline consents to operations of assistants in your name')
    .helpGroup(everyday)
    .addHelpText('after', example('copydesk consent list', `copydesk consent give ${id}`))
  group
    .command('list')
    .description('list consents that assistants have asked for in the last ten minutes')
    .addHelpText('after', example('copydesk consent list --json'))
    .action(async (_options, command: Command) => {
      const { listConsents } = await import('./consent-actions.ts')
      await listConsents(command)
    })
  group
    .command('show')
    .description('show a consent: the command, and the rows that it would affect')
    .argument('<id>', 'id of the consent')
    .addHelpText('after', example(`copydesk consent show ${id}`))
    .action(async (given: string, _options, command: Command) => {
      const { showConsent } = await import('./consent-actions.ts')
      await showConsent(given, command)
    })
  group
    .command('give')
    .description('give a consent, at a terminal and with a login: the assistant can then do this once')
    .argument('<id>', 'id of the consent')
    .addHelpText('after', example(`copydesk consent give ${id}`))
    .action(async (given: string, _options, command: Command) => {
      const { answerConsent } = await import('./consent-actions.ts')
      await answerConsent(given, true, command)
    })
  group
    .command('decline')
    .description('decline a consent')
    .argument('<id>', 'id of the consent')
    .addHelpText('after', example(`copydesk consent decline ${id}`))
    .action(async (given: string, _options, command: Command) => {
      const { answerConsent } = await import('./consent-actions.ts')
      await answerConsent(given, false, command)
    })
}
