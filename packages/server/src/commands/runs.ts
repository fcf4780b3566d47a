import { example } from '@copydesk/terminal/help'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { tenantId } from './find.ts'
import { prepare, wholeNumber } from './options.ts'

const states = ['pending', 'running', 'completed', 'failed'] as const

/** `runs list|show`. */
export function runCommands(program: Command): void {
  const group = program
    .command('runs')
    .description('runs of agents')
    .addHelpText('after', example('copydesk runs list --status failed'))
  group
    .command('list')
    .description('list runs, newest first')
    .option('--tenant <tenant>', `only runs of this tenant: ${tenantNaming}`)
    .option('--agent <role>', 'only runs of this agent, for example blog_writer')
    .addOption(new Option('--status <status>', 'only runs with this status').choices(states))
    .option('--limit <count>', 'maximum number of runs', wholeNumber(1, 100), 20)
    .addHelpText('after', example('copydesk runs list --tenant "Example Ltd" --limit 50'))
    .action(list)
  group
    .command('show')
    .description('show one run with its transcript')
    .argument('<id>', 'id of the run, as `runs list` shows it')
    .addHelpText('after', example('copydesk runs show 01J9ZX6T4QH8C3V5N7M2K0B1AD'))
    .action(show)
}

interface ListOptions {
  tenant?: string
  agent?: string
  status?: (typeof states)[number]
  limit: number
}

async function list({ tenant, agent, status, limit }: ListOptions, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const { data } = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.runs.list({
      limit,
      ...(tenant !== undefined && { tenantId: await tenantId(api, tenant) }),
      ...(agent !== undefined && { agentRole: agent }),
      ...(status && { status }),
    })
  })
  output.data(data, () =>
    table(
      ['ID', 'TENANT', 'AGENT', 'MODEL', 'STATUS', 'COST', 'STARTED', 'ERROR'],
      data.map((run) => [
        run.runId,
        run.tenantName,
        run.agentRole,
        run.model ?? '-',
        run.timedOut ? 'timeout' : run.status,
        run.priced ? `$${run.costUsd}` : 'unpriced',
        run.startedAt.toISOString().slice(0, 16).replace('T', ' '),
        run.error ?? '',
      ]),
      [1, 3, 7],
    ),
  )
}

async function show(id: string, _options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const run = await withApp(config, (copydesk) => copydesk.asSystem().runs.get(id))
  output.data(run, () => {
    const cost = run.priced ? `$${run.costUsd}` : 'price unknown'
    const facts = [
      `${run.agentName} for ${run.tenantName}: ${run.timedOut ? 'timeout' : run.status}`,
      `${run.model ?? 'no model'}, ${run.inputTokens} tokens in, ${run.outputTokens} out, ${cost}`,
      ...(run.error ? [`${run.errorFamily ?? 'error'}: ${run.error}`] : []),
    ]
    const lines = (run.transcript ?? []).map(({ type, content, timestamp, metadata }) => {
      const tool = typeof metadata?.['toolName'] === 'string' ? ` ${metadata['toolName']}` : ''
      return `[${new Date(timestamp).toISOString()}] ${type}${tool}\n${content}`
    })
    return [...facts, '', ...lines].join('\n')
  })
}
