import { type Command, Option } from 'commander'
import { example } from './help.ts'
import { groupOf } from './on-machine.ts'

/** Not an operation: it takes a secret, or sends a person to a browser. */
export function channelCommand(program: Command): void {
  groupOf(program, 'channel')
    .command('connect')
    .description(
      'connect an account: by a password or key from stdin, or by the consent of a person in a browser',
    )
    .argument('<type>', 'type of channel, such as cms_site')
    .option('--server <url>', 'address of your own server, such as a WordPress site')
    .option('--username <name>', 'with --secret-stdin, where the platform asks for it')
    .addOption(
      new Option('--secret-stdin', 'read the password, key or token from stdin').conflicts('redirect'),
    )
    .option('--redirect <url>', 'where the browser goes in the end; one of those that the server allows')
    .addHelpText(
      'after',
      example(
        'copydesk channel connect cms_site --server https://shop.example --username wanda --secret-stdin',
        'copydesk channel connect professional_network --redirect https://app.example/channels',
      ),
    )
    .action(async (type: string, _options, command: Command) => {
      const { connectChannel } = await import('./channel-actions.ts')
      await connectChannel(type, command)
    })
}
