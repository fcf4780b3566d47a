import type { Command } from 'commander'
import { isArgument, takesIds, valueOf } from '../operations/invocation.ts'
import type { Invocation, OperationBase } from '../operations/operation.ts'
import { wrongUsage } from './failure.ts'
import { textFromStdin } from './prompts.ts'

/**
 * The input of an operation from a command line, not yet checked for missing parameters.
 * @throws UsageError for invalid values
 */
export async function givenTo(
  { params: takes }: OperationBase,
  command: Command,
): Promise<Invocation['input']> {
  const given: Record<string, unknown> = {}
  const options = command.opts<Record<string, unknown>>()
  const parameters = Object.entries(takes)
  const places = parameters.filter(([, parameter]) => isArgument(parameter)).map(([name]) => name)
  for (const [name, parameter] of parameters) {
    const value = isArgument(parameter)
      ? command.processedArgs[places.indexOf(name)]
      : optionGiven(options, name)
    if (value === undefined) continue
    if (takesIds(parameter)) given[name] = await withStdin(value as string[])
    else given[name] = typeof value === 'string' ? valueOf(name, parameter, value) : value
  }
  return given
}

/** The value of an option; `--no-wait` sets `wait` to false. */
function optionGiven(options: Readonly<Record<string, unknown>>, name: string): unknown {
  const [, denied] = /^no([A-Z]\w*)$/.exec(name) ?? []
  if (denied === undefined) return options[name]
  return options[denied.charAt(0).toLowerCase() + denied.slice(1)] === false
}

/** The ids, with those from stdin in place of `-`. @throws Failure when stdin is a terminal */
async function withStdin(ids: readonly string[]): Promise<string[]> {
  if (!ids.includes('-')) return [...ids]
  if (process.stdin.isTTY) throw wrongUsage('`-` reads ids from stdin, one a line: pipe them in.')
  const lines = (await textFromStdin()).split('\n')
  const known = lines.map((line) => line.trim()).filter((line) => line !== '')
  return ids.flatMap((id) => (id === '-' ? known : [id]))
}

/**
 * The input with the profile's default tenant, unless it names something more specific; `all` ignores the
 * default.
 */
export function narrowed(
  { params: takes }: OperationBase,
  given: Invocation['input'],
  tenantId: string | undefined,
): Invocation['input'] {
  if (!('tenant' in takes) || takes['tenant']?.kind !== 'text') return given
  const { tenant, ...rest } = given
  if (tenant === 'all') return rest
  const isExact = rest['all'] === true || rest['ids'] !== undefined
  return tenant !== undefined || tenantId === undefined || isExact ? given : { ...rest, tenant: tenantId }
}
