import type { Command } from 'commander'
import type { EvalDocument } from '../evaluation/collection.ts'
import type { EvalAnswer } from '../evaluation/evaluate.ts'
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
  /**
   * A knowledge base in a temporary installation, with the embeddings and the rerank model of the configuration; it is removed with all that is in it.
   * @param database URL of an empty database; absent: a file of SQLite
   */
  temporaryKnowledge(
    command: Command,
    database: string | undefined,
  ): Promise<TemporaryKnowledge & AsyncDisposable>
}

/** A knowledge base for an evaluation. */
export interface TemporaryKnowledge {
  /**
   * Ingests documents as files, and waits for all of them.
   * @returns those that could not be ingested, with the reason
   */
  add(
    documents: readonly EvalDocument[],
    options: { signal: AbortSignal; onProgress(done: number): void },
  ): Promise<Array<{ id: string; reason: string }>>
  search(query: string, how: SearchWay): Promise<EvalAnswer>
}

/** How search weighs what it finds. */
export interface SearchWay {
  /** Absent: as the server's default. */
  hybridAlpha?: number
  rerank?: boolean
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
  ads: 'paid ads of a tenant: changes that are planned, approved by their digest, and undone',
  campaign:
    'create campaigns, show their progress and take them through their review; on this machine, or at a server with a login',
  channel:
    'the accounts at channels of a tenant: connect them, and see how well they are, with a login of the tenant',
  kb: 'the knowledge base of a tenant: its datasets and files, uploads, websites, search and how well it finds',
  mailing:
    'newsletters to the tenant’s leads: test, start, pause, and how far they are, with a login of the tenant',
  publish: 'what goes out on channels and when, and what has become of it, with a login of the tenant',
  lead: 'the leads of a tenant: lists, imports from CSV files and exports, with a login of the tenant',
}

/** What is shown below the help of a group that lists nothing. */
const shown: Readonly<Record<string, string>> = { ads: 'ads show 01J9ZX6T4QH8C3V5N7M2K0B1AD' }

/** The parent command of commands with two words. */
export function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((each) => each.name() === name)
  return (
    known ??
    program
      .command(name)
      .description(summaries[name] ?? name)
      .helpGroup(everyday)
      .addHelpText('after', example(`copydesk ${shown[name] ?? `${name} list`}`))
  )
}
