import type { Command } from 'commander'
import type { Desk } from '../operations/operation.ts'
import { everyday } from './everyday.ts'
import { example } from './help.ts'

/** How operators run on the machine, on its data folder, what people with a login run on a server. */
export interface OnMachine {
  /** Whether there is an installation where the command says, or where one is looked for. */
  isHere(command: Command): boolean | Promise<boolean>
  /**
   * A desk on the installation itself, acting as its operator, for one of its tenants. The installation is opened by the first
   * request, which fails where there is none, or the tenant is not known.
   * @param tenant id, domain or name; absent: the only one there is
   */
  desk(command: Command, tenant: string | undefined): Promise<MachineDesk & AsyncDisposable>
}

export interface MachineDesk {
  desk: Desk
  /** Sentences on where something was done and for whom; after work was begun also that no server is there to do it. */
  told(): Promise<string[]>
}

const summaries: Readonly<Record<string, string>> = {
  campaign:
    'start campaigns and see how far they are; here on the machine, or at a server with a login of the tenant',
}

/** The command that others of two words stand below. */
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
