import { type Command, Option } from 'commander'
import { everyday, example } from './help.ts'

/** `media list|upload`: the assets of the tenant that one is logged in for. */
export function mediaCommands(program: Command): void {
  const group = program
    .command('media')
    .description('images, videos and PDFs of a tenant, with a login of the tenant')
    .helpGroup(everyday)
    .addHelpText('after', example('copydesk media list', 'copydesk media upload photos/*.jpg'))
  group
    .command('list')
    .description('list assets, newest first')
    .option('--search <words>', 'words of the name, the alternative text or the tags')
    .addOption(new Option('--kind <kind>', 'kind of asset').choices(['image', 'video', 'document']))
    .option('--tag <tag>', 'only those with this tag')
    .option('--limit <number>', 'how many, 1 to 100 (default: 25)')
    .addHelpText('after', example('copydesk media list --kind image', 'copydesk media list --search bread'))
    .action(async (_options, command: Command) => {
      const { listAssets } = await import('./media-actions.ts')
      await listAssets(command)
    })
  group
    .command('upload')
    .description('add images, videos and PDFs, one after the other')
    .argument('<paths...>', 'files, folders and patterns')
    .option('--tags <tags>', 'tags for all of them, separated by commas')
    .addHelpText(
      'after',
      example('copydesk media upload loaf.jpg --tags bread', 'copydesk media upload photos'),
    )
    .action(async (paths: string[], _options, command: Command) => {
      const { uploadAssets } = await import('./media-actions.ts')
      await uploadAssets(paths, command)
    })
}
