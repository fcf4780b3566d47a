import type { SystemApi } from '@copydesk/core'
import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { table } from '@copydesk/terminal/table'
import { type Command, InvalidArgumentError } from 'commander'
import { withApp } from '../app.ts'
import { prepare } from './options.ts'

/** `model list|price`. */
export function modelCommands(program: Command): void {
  const group = program
    .command('model')
    .description('available models and their prices')
    .addHelpText('after', example('copydesk model list'))
  group
    .command('list')
    .description('list models that are available or have a price')
    .addHelpText('after', example('copydesk model list --json'))
    .action(list)
  group
    .command('price')
    .description('set the price of a model')
    .argument('<model>', "the provider's name of the model")
    .option('--input <usd>', 'US dollars per million input tokens', dollars)
    .option('--output <usd>', 'US dollars per million output tokens', dollars)
    .option('--clear', 'use the price of the configuration or the built-in list again')
    .addHelpText('after', example('copydesk model price llama3.3 --input 0.05 --output 0.2'))
    .action(price)
}

type Model = Awaited<ReturnType<SystemApi['models']['list']>>[number]

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
  const { config, output } = prepare(command)
  const models = await withApp(config, (copydesk) => copydesk.asSystem().models.list())
  output.data(models, () => show(models))
}

async function price(
  model: string,
  prices: { input?: number; output?: number; clear?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const { input, output: perOutput, clear } = prices
  const isSet = input !== undefined && perOutput !== undefined
  const isNothing = input === undefined && perOutput === undefined
  if (clear ? !isNothing : !isSet) throw wrongUsage('Give both --input and --output, or only --clear.')
  const now = await withApp(config, (copydesk) => {
    const { models } = copydesk.asSystem()
    return isSet ? models.setPrice(model, { input, output: perOutput }) : models.clearPrice(model)
  })
  output.data(now, () => show([now]))
}

function dollars(text: string): number {
  if (/^\d{1,7}(\.\d{1,6})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError(
    'It must be an amount in US dollars with at most six decimals, such as 0.25.',
  )
}
