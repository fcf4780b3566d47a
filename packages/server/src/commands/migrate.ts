import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import type { Command } from 'commander'
import { openApp, withApp } from '../app.ts'
import { prepare } from './options.ts'

/** `migrate up|down|status`. */
export function migrateCommands(program: Command): void {
  const group = program
    .command('migrate')
    .description('migrate the schema of the database up or down')
    .addHelpText('after', example('copydesk migrate status'))
  group
    .command('status')
    .description('list the migrations and whether they are applied')
    .addHelpText('after', example('copydesk migrate status --json'))
    .action((_options, command: Command) => status(command))
  group
    .command('up')
    .description('apply pending migrations')
    .option('--to <step>', 'stop after this migration')
    .option('--dry-run', 'print the SQL without changing anything')
    .addHelpText('after', example('copydesk migrate up --dry-run', 'copydesk migrate up'))
    .action((options, command: Command) => up(options, command))
  group
    .command('down')
    .description('revert the last migration and delete the data that it introduced')
    .option('--to <step>', 'revert every migration after this one')
    .option('--dry-run', 'list the migrations without changing anything')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk migrate down --dry-run', 'copydesk migrate down --yes'))
    .action((options, command: Command) => down(options, command))
}

async function status(command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const found = await withApp(config, ({ migrations }) => migrations.status())
  const rows = [
    ...found.executed.map((name) => [
      name,
      found.unknown.includes(name) ? 'applied by a newer version' : 'applied',
    ]),
    ...found.pending.map((name) => [name, 'pending']),
  ]
  output.data(found, () => table(['STEP', 'STATE'], rows))
}

async function up(options: { to?: string; dryRun?: true }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  if (options.dryRun) {
    const plan = await withApp(config, ({ migrations }) => migrations.plan())
    output.data(plan, () =>
      plan.map(({ name, sql }) => [`-- ${name}`, ...statementsOf(sql)].join('\n')).join('\n\n'),
    )
    if (plan.length === 0) output.info('Nothing is pending.')
    return
  }
  const copydesk = await openApp(config, { worker: false, createDatabase: true })
  try {
    const applied = await copydesk.migrations.up(options.to)
    output.data({ applied }, () => (applied.length > 0 ? applied.join('\n') : 'Nothing was pending.'))
  } finally {
    await copydesk.stop()
  }
}

const statementsOf = (sql: readonly string[]) =>
  sql.length === 0 ? ['-- nothing to do on this database'] : sql.map(ended)

async function down(options: { to?: string; dryRun?: true; yes?: true }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  await withApp(config, async ({ migrations }) => {
    const { executed } = await migrations.status()
    const first = options.to === undefined ? executed.length - 1 : executed.indexOf(options.to) + 1
    const steps = executed.slice(Math.max(0, first)).toReversed()
    if (options.dryRun || steps.length === 0) {
      output.data({ wouldTakeBack: steps }, () =>
        steps.length > 0 ? steps.join('\n') : 'There is nothing to revert.',
      )
      return
    }
    if (
      !(await confirmed(`This reverts ${steps.join(', ')} and deletes the data stored by them.`, options.yes))
    )
      return
    const takenBack = await migrations.down(options.to)
    output.data({ takenBack }, () => takenBack.join('\n'))
  })
}

const ended = (sql: string) => (/;\s*$/.test(sql) ? sql.trimEnd() : `${sql.trimEnd()};`)
