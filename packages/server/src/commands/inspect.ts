import type { EndpointInfo } from '@copydesk/core'
import { toJson } from '@copydesk/terminal/clean'
import { Failure } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { table } from '@copydesk/terminal/table'
import type { Command } from 'commander'
import manifest from '../../../../package.json' with { type: 'json' }
import { outputOf, prepare } from './options.ts'

/** `routes`, `openapi` and `version`: information about this program. They need no installation. */
export function inspectCommands(program: Command): void {
  program
    .command('routes')
    .description('list all endpoints')
    .option('--surface <name>', 'only this surface, for example dm')
    .addHelpText('after', example('copydesk routes --surface dm'))
    .action(routes)
  program
    .command('openapi')
    .description('print the OpenAPI 3.1 document')
    .addHelpText('after', example('copydesk openapi > openapi.json'))
    .action(async (_options, command: Command) => {
      const { baseUrl } = prepare(command).config
      const { openApiDocument } = await import('@copydesk/core')
      process.stdout.write(`${toJson(await openApiDocument(baseUrl), 2)}\n`)
    })
  program
    .command('version')
    .description('print the version')
    .addHelpText('after', example('copydesk version --json'))
    .action((_options, command: Command) => {
      const found = {
        version: manifest.version,
        node: process.versions.node,
        platform: `${process.platform}-${process.arch}`,
      }
      outputOf(command).data(found, () => found.version)
    })
}

async function routes({ surface }: { surface?: string }, command: Command): Promise<void> {
  const { describeSurfaces } = await import('@copydesk/core')
  const all = await describeSurfaces()
  const chosen = surface === undefined ? all : all.filter((one) => one.surface === surface)
  if (chosen.length === 0) {
    const names = [...new Set(all.map((one) => one.surface))].join(', ')
    throw new Failure(`There is no surface "${surface}". Surfaces: ${names}.`, { exitCode: 2 })
  }
  const rows = chosen.map(({ method, path, id, access, success, summary, errors }) => ({
    method,
    path,
    id,
    access: accessInWords(access),
    success,
    summary,
    errors,
  }))
  outputOf(command).data(rows, () =>
    table(
      ['METHOD', 'PATH', 'ID', 'ACCESS'],
      rows.map((row) => [row.method, row.path, row.id, row.access]),
    ),
  )
}

function accessInWords(access: EndpointInfo['access']): string {
  if (access.public) return 'public'
  const roles = access.roles === 'any' ? 'any role' : access.roles.join('|')
  const apps = access.apps.length > 0 ? ` in ${access.apps.join('|')}` : ''
  return `${roles}${apps} (${access.credentials.join('|')})`
}
