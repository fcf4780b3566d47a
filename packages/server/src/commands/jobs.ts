import type { SystemApi } from '@copydesk/core'
import { Failure, wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { everything, tenantId } from './find.ts'
import { prepare, wholeNumber } from './options.ts'

/** `jobs queues|list|show|retry`. */
export function jobCommands(program: Command): void {
  const group = program
    .command('jobs')
    .description('the queues of all agents, and dead letters: runs and jobs that were given up')
    .addHelpText('after', example('copydesk jobs queues', 'copydesk jobs list'))
  group
    .command('queues')
    .description('show the queue of each agent of each tenant')
    .option('--tenant <tenant>', `only this tenant: ${tenantNaming}`)
    .addHelpText('after', example('copydesk jobs queues --tenant example.com'))
    .action(queues)
  group
    .command('list')
    .description('list dead letters that were not retried, newest first')
    .option('--tenant <tenant>', `only dead letters of this tenant: ${tenantNaming}`)
    .option('--agent <role>', 'only runs of this agent')
    .option('--limit <n>', 'maximum number of entries', wholeNumber(1, 10_000), 50)
    .addHelpText('after', example('copydesk jobs list --tenant example.com', 'copydesk jobs list --json'))
    .action(list)
  group
    .command('show')
    .description('show a dead letter with its attempts')
    .argument('<id>', 'id of the run or job')
    .addHelpText('after', example('copydesk jobs show 01JZ8K3V9Q4W5X6Y7Z8A9B0C1D'))
    .action(show)
  group
    .command('retry')
    .description('retry dead letters')
    .argument('[id...]', 'ids of runs and jobs')
    .option('--all', 'retry all dead letters, or those that --tenant and --agent select')
    .option('--tenant <tenant>', `with --all: only dead letters of this tenant: ${tenantNaming}`)
    .option('--agent <role>', 'with --all: only runs of this agent')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      example(
        'copydesk jobs retry 01JZ8K3V9Q4W5X6Y7Z8A9B0C1D',
        'copydesk jobs retry --all --agent blog_writer --yes',
      ),
    )
    .action(retry)
}

interface Chosen {
  tenant?: string
  agent?: string
}

async function given(api: SystemApi, { tenant, agent }: Chosen, limit?: number) {
  const filter = {
    ...(tenant !== undefined && { 'filter.tenantId': await tenantId(api, tenant) }),
    ...(agent !== undefined && { 'filter.agentRole': agent }),
  }
  return everything((page) => api.system.deadLetters({ ...page, ...filter }), limit)
}

async function queues({ tenant }: { tenant?: string }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const rows = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.system.queues(tenant === undefined ? {} : { tenantId: await tenantId(api, tenant) })
  })
  output.data(rows, () =>
    table(
      ['TENANT', 'AGENT', 'WAITING', 'ACTIVE', 'DELAYED', 'FAILED', 'GIVEN UP', 'OLDEST'],
      rows.map((row) => [
        row.tenantName,
        row.paused ? `${row.agentRole} (paused)` : row.agentRole,
        ...[row.waiting, row.active, row.delayed, row.failed, row.deadLettered].map(String),
        row.oldestWaitingAgeS === null ? '-' : `${row.oldestWaitingAgeS} s`,
      ]),
      [0, 1],
    ),
  )
}

async function list({ limit, ...chosen }: Chosen & { limit: number }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const letters = await withApp(config, (copydesk) => given(copydesk.asSystem(), chosen, limit))
  output.data(letters, () =>
    table(
      ['ID', 'WHAT', 'TENANT', 'GIVEN UP', 'BECAUSE'],
      letters.map((letter) => [
        letter.id,
        letter.name,
        letter.tenantName ?? '-',
        when(letter.failedAt).slice(0, 10),
        letter.message.split('\n', 1)[0] ?? '',
      ]),
      [4, 2],
    ),
  )
}

async function show(id: string, _options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const letter = await withApp(config, (copydesk) => copydesk.asSystem().system.deadLetter(id))
  output.data(letter, () =>
    [
      `${letter.kind} ${letter.name}${letter.tenantName ? `, ${letter.tenantName}` : ''}`,
      ...(letter.activityTitle ? [`for “${letter.activityTitle}” (activity ${letter.activityId})`] : []),
      `started ${when(letter.createdOn)}, given up ${when(letter.failedAt)}`,
      ...letter.history.map(
        ({ attempt, at, error, family }) => `  ${when(at)}  try ${attempt}, ${family ?? 'failed'}: ${error}`,
      ),
    ].join('\n'),
  )
}

async function retry(
  ids: string[],
  { all, yes, ...chosen }: Chosen & { all?: true; yes?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  if (all ? ids.length > 0 : ids.length === 0)
    throw wrongUsage('Give the ids to retry (`copydesk jobs list` shows them), or --all.')
  const tried: Array<{ id: string; ok: boolean; message?: string }> = []
  await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const wanted = all ? (await given(api, chosen)).map(({ id }) => id) : ids
    if (all && wanted.length > 0 && !(await confirmed(`This retries ${wanted.length}.`, yes))) return
    for (const id of wanted) {
      try {
        await api.system.retry(id)
        tried.push({ id, ok: true })
      } catch (error) {
        // One that cannot be retried must not prevent the retry of the others.
        tried.push({ id, ok: false, message: (error as Error).message })
      }
    }
  })
  output.data(tried, () =>
    tried.map(({ id, ok, message }) => (ok ? `${id} is queued.` : `${id}: ${message}`)).join('\n'),
  )
  const refused = tried.filter(({ ok }) => !ok)
  if (refused.length > 0) throw new Failure(`${refused.length} of ${tried.length} could not be retried.`)
}

const when = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ')
