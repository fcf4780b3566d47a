import type { Api } from '@copydesk/core'
import { type Command, InvalidArgumentError } from 'commander'
import { withApp } from '../app.ts'
import { wrongUsage } from '@copydesk/terminal/failure'
import { table } from '@copydesk/terminal/talk'
import { example } from '@copydesk/terminal/help'
import { prepare } from './options.ts'

/** `model list|price`. */
export function modelCommands(program: Command): void {
  const group = program
    .command('model')
    .description('which models are served, and what they cost')
    .addHelpText('after', example('copydesk model list'))
  group
    .command('list')
    .description('list the models that are served or priced')
    .addHelpText('after', example('copydesk model list --json'))
    .action(list)
  group
    .command('price')
    .description('set what a model costs from now on')
    .argument('<model>', 'as the provider calls it')
    .option('--input <usd>', 'US dollars per million tokens in', dollars)
    .option('--output <usd>', 'US dollars per million tokens out', dollars)
    .option('--clear', 'go back to the price of the configuration or the built-in list')
    .addHelpText('after', example('copydesk model price llama3.3 --input 0.05 --output 0.2'))
    .action(price)
}

type Model = Awaited<ReturnType<Api['models']['list']>>[number]

const show = (models: readonly Model[]) =>
  table(
    ['MODEL', 'INPUT', 'OUTPUT', 'PRICE FROM', 'SERVED BY'],
    models.map(({ model, price, source, providers }) => [
      model,
      price ? `$${price.input}` : '-',
      price ? `$${price.output}` : '-',
      source ?? 'not known',
      providers.join(', ') || '-',
    ]),
    [0, 4],
  )

async function list(_options: object, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  const models = await withApp(config, (copydesk) => copydesk.asSystem().models.list())
  talk.data(models, () => show(models))
}

async function price(
  model: string,
  { input, output, clear }: { input?: number; output?: number; clear?: true },
  command: Command,
): Promise<void> {
  const { config, talk } = prepare(command)
  const isSet = input !== undefined && output !== undefined
  const isNothing = input === undefined && output === undefined
  if (clear ? !isNothing : !isSet)
    throw wrongUsage('Give both --input and --output, or --clear and neither of them.')
  const now = await withApp(config, (copydesk) => {
    const { models } = copydesk.asSystem()
    return isSet ? models.setPrice(model, { input, output }) : models.clearPrice(model)
  })
  talk.data(now, () => show([now]))
}

function dollars(text: string): number {
  if (/^\d{1,7}(\.\d{1,6})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError(
    'It must be an amount in US dollars with at most six decimals, such as 0.25.',
  )
}
