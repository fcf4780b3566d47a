import type { SystemApi } from '@copydesk/core'
import { example } from '@copydesk/terminal/help'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { everything, tenantId } from './find.ts'
import { since as instantSince, prepare, wholeNumber } from './options.ts'

const actorTypes = ['human', 'agent', 'api_key'] as const

/** `audit`. */
export function auditCommand(program: Command): void {
  program
    .command('audit')
    .description('show who did what, newest first')
    .option('--tenant <tenant>', `only what happened at this tenant: ${tenantNaming}`)
    .option('--action <label>', 'only this action, for example approval.resolve')
    .addOption(
      new Option('--actor-type <type>', 'only actions of this type of principal').choices(actorTypes),
    )
    .option('--since <when>', 'a date, or a time ago: 30m, 24h, 7d', instantSince)
    .option('--limit <n>', 'maximum number of entries', wholeNumber(1, 10_000), 50)
    .addHelpText('after', example('copydesk audit --tenant example.com --since 7d', 'copydesk audit --json'))
    .action(audit)
}

interface AuditOptions {
  tenant?: string
  action?: string
  actorType?: (typeof actorTypes)[number]
  since?: Date
  limit: number
}

async function audit(options: AuditOptions, command: Command): Promise<void> {
  const { tenant, action, actorType, since, limit } = options
  const { config, output } = prepare(command)
  const records = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const filter = {
      ...(tenant !== undefined && { tenantId: await tenantId(api, tenant) }),
      ...(action && { 'filter.action': action }),
      ...(actorType && { 'filter.actorType': actorType }),
      ...(since && { since }),
    }
    return everything((page) => api.audit.list({ ...page, ...filter }), limit)
  })
  output.data(records, () =>
    table(
      ['WHEN', 'ACTION', 'BY', 'WHAT'],
      records.map((record) => [
        record.createdOn.toISOString().slice(0, 19).replace('T', ' '),
        record.action,
        doneBy(record),
        record.resourceId ?? record.resourceType,
      ]),
      // The column that says through whom matters most: rather a line that is too long.
      records.some(({ assistant }) => assistant !== null) ? [1] : [2, 1],
    ),
  )
}

type Done = Pick<
  Awaited<ReturnType<SystemApi['audit']['list']>>['data'][number],
  'actor' | 'impersonating' | 'assistant' | 'consent'
>

const agreedBy = { elicitation: ', agreed to when it asked', login: ', agreed to with a login' }

function doneBy({ actor, impersonating, assistant, consent }: Done): string {
  const through = assistant === null ? '' : ` through ${assistant}${consent ? agreedBy[consent.how] : ''}`
  return `${actor.name ?? actor.id}${impersonating ? ' (impersonating)' : ''}${through}`
}
