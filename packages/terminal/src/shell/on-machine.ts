import type { Command } from 'commander'
import type { OperationContext } from '../operations/operation.ts'
import { everyday, example } from './help.ts'

/** How operators run commands on the machine, on its data folder, that users run against a server. */
export interface OnMachine {
  /** Whether there is an installation at the given or default place. */
  isHere(command: Command): boolean | Promise<boolean>
  /**
   * A context on the installation itself, acting as its operator, for one of its tenants. The installation is
   * opened by the first request, which fails when it or the tenant does not exist.
   * @param tenant id, domain or name; absent: the only one
   */
  context(command: Command, tenant: string | undefined): Promise<MachineContext & AsyncDisposable>
}

export interface MachineContext {
  context: OperationContext
  /**
   * Messages on the place and tenant of what was done; after a campaign was created also that no server is
   * running.
   */
  told(): Promise<string[]>
}

const summaries: Readonly<Record<string, string>> = {
  campaign:
    'create campaigns and show their progress; on this machine, or at a server with a login of the tenant',
  kb: 'the knowledge base of a tenant: its datasets and files, uploads, websites and search',
}

/** The parent command of commands with two words. */
export function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((each) => each.name() === name)
  return (
    known ??
    program
      .command(name)
      .description(summaries[name] ?? name)
      .helpGroup(everyday)
      .addHelpText('after', example(`copydesk ${name} list`))
  )
}
