import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import type { Command } from 'commander'
import { hostsOfProviders, toProviders } from '../../config/providers.ts'
import { outputOf, prepare } from '../options.ts'

interface Options {
  yes?: boolean
  keep?: boolean
  model?: string
  brief?: string
}

/** `demo`: the main use case, from a brief to approved texts, on a temporary installation. */
export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('run a campaign from the brief to the approved texts, on a temporary installation')
    .option('-y, --yes', 'decide without asking: approve everything, request one revision once')
    .option('--keep', 'keep the server running and the data in place')
    .option('--model <name>', 'use a model of a configured provider as the writer')
    .option('--brief <file>', 'a brief in Markdown instead of the example')
    .addHelpText(
      'after',
      example('copydesk demo', 'copydesk demo --yes --json', 'copydesk demo --brief spring.md --keep'),
    )
    .action(async (options: Options, command: Command) => {
      const output = outputOf(command)
      const { runDemo } = await import('./run.ts')
      const { summary, instance } = await runDemo({
        yes: options.yes ?? false,
        keep: options.keep ?? false,
        out: output.json ? process.stderr : process.stdout,
        ...(options.brief !== undefined && { brief: options.brief }),
        ...(options.model !== undefined && modelSettings(options.model, command)),
      })
      if (output.json) output.data({ ...summary, url: options.keep ? instance.url : null }, () => '')
      if (options.keep) await interrupted()
      await instance.close(options.keep ?? false)
    })
}

/** @throws Failure when no configured provider serves the model */
function modelSettings(model: string, command: Command) {
  const { config } = prepare(command)
  const providers = toProviders(config)
  const known = providers.flatMap((provider) => provider.models)
  if (!known.includes(model)) {
    throw wrongUsage(
      known.length > 0
        ? `No configured provider serves the model ${model}. There are: ${known.join(', ')}.`
        : `No model provider is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a provider in the configuration.`,
    )
  }
  return { model, providers, allowHosts: hostsOfProviders(config) }
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
