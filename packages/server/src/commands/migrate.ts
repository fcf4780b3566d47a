import type { Command } from 'commander'
import { openApp, withApp } from '../app.ts'
import { table } from '@copydesk/terminal/talk'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/asking'
import { prepare } from './options.ts'

/** `migrate up|down|status`. */
export function migrateCommands(program: Command): void {
  const group = program
    .command('migrate')
    .description('move the schema of the database up or down')
    .addHelpText('after', example('copydesk migrate status'))
  group
    .command('status')
    .description('show which steps are applied')
    .addHelpText('after', example('copydesk migrate status --json'))
    .action((_options, command: Command) => status(command))
  group
    .command('up')
    .description('apply the steps that are pending')
    .option('--to <step>', 'stop after this step')
    .option('--dry-run', 'print the SQL and change nothing')
    .addHelpText('after', example('copydesk migrate up --dry-run', 'copydesk migrate up'))
    .action((options, command: Command) => up(options, command))
  group
    .command('down')
    .description('take the last step back, and what it holds with it')
    .option('--to <step>', 'take back every step after this one')
    .option('--dry-run', 'name the steps and change nothing')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('copydesk migrate down --dry-run', 'copydesk migrate down --yes'))
    .action((options, command: Command) => down(options, command))
}

async function status(command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  const found = await withApp(config, ({ migrations }) => migrations.status())
  const rows = [
    ...found.executed.map((name) => [
      name,
      found.unknown.includes(name) ? 'applied by a newer version' : 'applied',
    ]),
    ...found.pending.map((name) => [name, 'pending']),
  ]
  talk.data(found, () => table(['STEP', 'STATE'], rows))
}

async function up(options: { to?: string; dryRun?: true }, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  if (options.dryRun) {
    const plan = await withApp(config, ({ migrations }) => migrations.plan())
    talk.data(plan, () =>
      plan.map(({ name, sql }) => `-- ${name}\n${sql.map(ended).join('\n')}`).join('\n\n'),
    )
    if (plan.length === 0) talk.info('Nothing is pending.')
    return
  }
  const copydesk = await openApp(config, { worker: false, createDatabase: true })
  try {
    const applied = await copydesk.migrations.up(options.to)
    talk.data({ applied }, () => (applied.length > 0 ? applied.join('\n') : 'Nothing was pending.'))
  } finally {
    await copydesk.stop()
  }
}

async function down(options: { to?: string; dryRun?: true; yes?: true }, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  await withApp(config, async ({ migrations }) => {
    const { executed } = await migrations.status()
    const first = options.to === undefined ? executed.length - 1 : executed.indexOf(options.to) + 1
    const steps = executed.slice(Math.max(0, first)).toReversed()
    if (options.dryRun || steps.length === 0) {
      talk.data({ wouldTakeBack: steps }, () =>
        steps.length > 0 ? steps.join('\n') : 'There is nothing to take back.',
      )
      return
    }
    if (
      !(await confirmed(`This takes back ${steps.join(', ')} and deletes what is stored in it.`, options.yes))
    )
      return
    const takenBack = await migrations.down(options.to)
    talk.data({ takenBack }, () => takenBack.join('\n'))
  })
}

const ended = (sql: string) => (/;\s*$/.test(sql) ? sql.trimEnd() : `${sql.trimEnd()};`)
