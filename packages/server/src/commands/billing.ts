import { Failure } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { everything, tenantId } from './find.ts'
import { day, prepare, wholeNumber } from './options.ts'

const statuses = ['received', 'applied', 'ignored', 'unknown'] as const

/** `billing events|replay`. */
export function billingCommands(program: Command): void {
  const group = program
    .command('billing')
    .description('what the payment provider has told')
    .addHelpText('after', example('copydesk billing events --from 2026-04-01'))
  group
    .command('events')
    .description('list the events of the payment provider, newest first, with what became of them')
    .option('--tenant <tenant>', `only events of this tenant: ${tenantNaming}`)
    .option('--type <type>', 'only events of this type, such as subscription.charged')
    .addOption(new Option('--status <status>', 'only events in this state').choices(statuses))
    .option('--from <date>', 'received on this day (UTC) or later', day)
    .option('--to <date>', 'received on this day (UTC) or earlier', day)
    .option('--limit <number>', 'at most this many', wholeNumber(1, 100_000), 1_000)
    .addHelpText(
      'after',
      example('copydesk billing events --tenant example.com --type payment.failed --json'),
    )
    .action(events)
  group
    .command('replay')
    .description('apply stored events again; what they did once is not done twice')
    .argument('<event...>', 'ids of events, from `copydesk billing events`')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk billing replay 01JZ8K3V9Q4W5X6Y7Z8A9B0C1D --yes'))
    .action(replay)
}

interface EventOptions {
  tenant?: string
  type?: string
  status?: (typeof statuses)[number]
  from?: Date
  to?: Date
  limit: number
}

async function events(
  { tenant, type, status, from, to, limit }: EventOptions,
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const found = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const filter = {
      ...(tenant !== undefined && { tenantId: await tenantId(api, tenant) }),
      ...(type !== undefined && { 'filter.eventType': type }),
      ...(status && { 'filter.status': status }),
      ...(from && { startDate: shown(from) }),
      ...(to && { endDate: shown(to) }),
    }
    return everything((page) => api.billing.events({ ...page, ...filter }), limit)
  })
  output.data(found, () =>
    table(
      ['ID', 'RECEIVED', 'TYPE', 'TENANT', 'STATUS', 'WHY'],
      found.map((one) => [
        one.id,
        one.receivedAt.toISOString().slice(0, 16),
        one.eventType,
        one.tenantName ?? '-',
        one.status,
        one.reason ?? '',
      ]),
      [5, 3],
    ),
  )
}

async function replay(ids: string[], { yes }: { yes?: true }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const what = ids.length === 1 ? `The event ${ids[0]} is` : `${ids.length} events are`
  if (!(await confirmed(`${what} applied again.`, yes))) return
  const { done, failed } = await withApp(config, async (copydesk) => {
    const { billing } = copydesk.asSystem()
    const results: Array<Awaited<ReturnType<typeof billing.replay>>> = []
    const errors: string[] = []
    for (const id of ids) {
      try {
        results.push(await billing.replay(id))
      } catch (error) {
        if ((error as Error).name !== 'DomainError') throw error
        errors.push(`${id}: ${(error as Error).message}`)
      }
    }
    return { done: results, failed: errors }
  })
  output.data(done, () =>
    table(
      ['ID', 'TYPE', 'STATUS', 'WHY'],
      done.map(({ id, eventType, status, reason }) => [id, eventType, status, reason ?? '']),
      [3],
    ),
  )
  if (failed.length > 0) throw new Failure(failed.join('; '))
}

const shown = (date: Date) => date.toISOString().slice(0, 10)
