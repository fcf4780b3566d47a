import type { Command } from 'commander'
import { isArgument, takesIds, valueOf } from '../operations/line.ts'
import type { Line, Named } from '../operations/operation.ts'
import { wrongUsage } from './failure.ts'
import { textFromStdin } from './stdin.ts'

/**
 * What a command was called with, as its operation takes it, not yet checked for what is missing.
 * @throws LineFault for values that it does not know
 */
export async function givenTo({ takes }: Named, command: Command): Promise<Line['input']> {
  const given: Record<string, unknown> = {}
  const options = command.opts<Record<string, unknown>>()
  const places = Object.keys(takes).filter((name) => isArgument(takes[name] as never))
  for (const [name, parameter] of Object.entries(takes)) {
    const value = isArgument(parameter) ? command.processedArgs[places.indexOf(name)] : options[name]
    if (value === undefined) continue
    if (takesIds(parameter)) given[name] = await withStdin(value as string[])
    else given[name] = typeof value === 'string' ? valueOf(name, parameter, value) : value
  }
  return given
}

/** The ids, with those from stdin where `-` stands. @throws Failure when stdin is somebody's keyboard */
async function withStdin(ids: readonly string[]): Promise<string[]> {
  if (!ids.includes('-')) return [...ids]
  if (process.stdin.isTTY) throw wrongUsage('`-` reads ids from stdin, one a line: pipe them in.')
  const lines = (await textFromStdin()).split('\n')
  const known = lines.map((line) => line.trim()).filter((line) => line !== '')
  return ids.flatMap((id) => (id === '-' ? known : [id]))
}

/** The input for the tenant of the profile, unless something says more exactly what is meant; `all` looks past it. */
export function narrowed(
  { takes }: Named,
  given: Line['input'],
  tenantId: string | undefined,
): Line['input'] {
  if (!('tenant' in takes) || takes['tenant']?.kind !== 'text') return given
  const { tenant, ...rest } = given
  if (tenant === 'all') return rest
  const isExact = rest['all'] === true || Object.keys(rest).some((name) => takes[name]?.kind === 'list')
  return tenant !== undefined || tenantId === undefined || isExact ? given : { ...rest, tenant: tenantId }
}
