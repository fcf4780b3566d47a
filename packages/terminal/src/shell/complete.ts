import { type Complete, type Command as Known, RootCommand, script } from '@bomb.sh/tab'
import type { Client } from '@copydesk/client'
import type { Command } from 'commander'
import { profilesFile, readProfiles } from '../account/profiles.ts'
import { operationIn, operationNamed } from '../operations/catalogue.ts'
import { isArgument, optionName } from '../operations/invocation.ts'
import { kbCrawl } from '../operations/knowledge-crawl.ts'
import { kbUpload } from '../operations/knowledge-upload.ts'
import type { Completion, OperationBase } from '../operations/operation.ts'
import { clean } from '../render/clean.ts'
import { bashScript } from './bash-script.ts'
import { createCliOutput } from './output.ts'
import { connectionOf } from './session.ts'

/** Maximum time that a completion waits for ids, milliseconds. */
const patienceMs = 700

/** Prints the completion script of a shell. */
export function printScript(program: Command, shell: string): void {
  // The library's script for bash depends on another package, and cannot be sourced twice.
  if (shell === 'bash') process.stdout.write(bashScript(program.name()))
  else script(shell, program.name(), program.name())
}

/**
 * Prints completions for `words`, one a line with a description. Ids come from the server when it answers in
 * time.
 */
export async function complete(program: Command, words: readonly string[], command: Command): Promise<void> {
  const root = new RootCommand()
  const meant = commandNamed(words.slice(0, 2).join(' ')) ?? operationIn(words).operation
  const values = await valuesFor(meant, words, command)
  add(program, '', root, values)
  root.parse([...words])
}

/** Commands that are no operations of the catalogue. */
const onlyCommands: readonly OperationBase[] = [kbUpload, kbCrawl]

function commandNamed(name: string): OperationBase | undefined {
  return onlyCommands.find((each) => each.name === name) ?? operationNamed(name)
}

interface Value {
  value: string
  what: string
}
type Values = ReadonlyMap<Completion | 'profile', readonly Value[]>

/** Adds the commands, options and arguments of a command and its subcommands. */
function add(command: Command, path: string, root: RootCommand, values: Values): void {
  const help = command.createHelp()
  const known: Known = path === '' ? root : root.command(path, command.description())
  const operation = commandNamed(path)
  const options = new Set([...help.visibleOptions(command), ...help.visibleGlobalOptions(command)])
  for (const { long, description, short, required, argChoices } of options) {
    const name = long?.slice(2)
    if (name === undefined) continue
    const alias = short?.slice(1)
    // An optional value is not completed: the next word may be anything.
    if (!required) known.option(name, description, alias)
    else known.option(name, description, offering(argChoices, valuesOf(operation, name, values)), alias)
  }
  for (const argument of command.registeredArguments) {
    const offered = valuesOf(operation, argument.name().replace(/\.+$/, ''), values)
    known.argument(argument.name(), offering(argument.argChoices, offered), argument.variadic)
  }
  for (const below of help.visibleCommands(command)) {
    // Commander's built-in `help` has no parent to walk up to.
    if (below.name() !== 'help') add(below, `${path} ${below.name()}`.trim(), root, values)
  }
}

function valuesOf(operation: OperationBase | undefined, spelled: string, values: Values): readonly Value[] {
  if (spelled === 'profile') return values.get('profile') ?? []
  const found = Object.entries(operation?.params ?? {}).find(([name]) => optionName(name) === spelled)?.[1]
  const kind = found && 'completes' in found ? found.completes : undefined
  return kind === undefined ? [] : (values.get(kind) ?? [])
}

function offering(
  choices: readonly string[] | undefined,
  values: readonly Value[],
): (offer: Complete) => void {
  return (offer) => {
    for (const choice of choices ?? []) offer(choice, '')
    // Text of others must neither move the cursor nor end the line.
    for (const { value, what } of values) offer(value, clean(what))
  }
}

/** The values for the words: profiles, and from the server only what the command takes at the cursor. */
async function valuesFor(
  meant: OperationBase | undefined,
  words: readonly string[],
  command: Command,
): Promise<Values> {
  const values = new Map<Completion | 'profile', readonly Value[]>()
  try {
    const { profiles } = await readProfiles(profilesFile(process.env))
    values.set(
      'profile',
      Object.entries(profiles).map(([value, { user, url }]) => ({ value, what: `${user.name} at ${url}` })),
    )
    const kinds = neededKinds(meant, words)
    if (kinds.length === 0) return values
    const { context } = await connectionOf(command, createCliOutput(false))
    const signal = AbortSignal.timeout(patienceMs)
    const found = await Promise.all(kinds.map((kind) => sources[kind](context.client, signal)))
    kinds.forEach((kind, index) => values.set(kind, found[index] ?? []))
  } catch {
    // Not logged in, or the server is offline or too slow: no completions, and no message either.
  }
  return values
}

function neededKinds(meant: OperationBase | undefined, words: readonly string[]): Completion[] {
  const last = words.at(-1) ?? ''
  const attached = /^(--[\w-]+)=/.exec(last)?.[1]
  if (!meant || (last.startsWith('-') && attached === undefined)) return []
  const before = attached ?? words.at(-2) ?? ''
  const isOption = before.startsWith('--')
  const parameters = Object.entries(meant.params).filter(([name, parameter]) =>
    isOption && parameter.kind !== 'flag' ? `--${optionName(name)}` === before : isArgument(parameter),
  )
  return parameters.flatMap(([, parameter]) =>
    'completes' in parameter && parameter.completes ? [parameter.completes] : [],
  )
}

type Source = (client: Client, signal: AbortSignal) => Promise<Value[]>

const waiting: Source = async (client, signal) => {
  const { pending } = await client.call('cli', 'GET /queue', {
    query: { status: 'pending', limit: 100 },
    signal,
  })
  return pending.map(({ id, title, tenantName }) => ({ value: id, what: `${title} · ${tenantName}` }))
}
const atWork: Source = async (client, signal) => {
  const { data } = await client.call('cli', 'GET /activities', { query: { limit: 100 }, signal })
  return data.map(({ id, title, tenantName, status }) => ({
    value: id,
    what: `${title} · ${tenantName}, ${status}`,
  }))
}

const sources: Readonly<Record<Completion, Source>> = {
  approval: waiting,
  activity: atWork,
  work: async (client, signal) => [...(await waiting(client, signal)), ...(await atWork(client, signal))],
  feed: async (client, signal) => {
    const { data } = await client.call('cli', 'GET /feed', { query: { limit: 100 }, signal })
    return data.map(({ id, title, tenantName }) => ({ value: id, what: `${title} · ${tenantName}` }))
  },
  tenant: async (client, signal) => {
    const { data } = await client.call('cli', 'GET /tenants', { query: { limit: 100 }, signal })
    return data.flatMap(({ id, name, domain }) => [
      { value: id, what: name },
      // A name with characters that a terminal would not echo unchanged is not offered.
      ...(clean(name) === name ? [{ value: name, what: domain ?? id }] : []),
      ...(domain === null ? [] : [{ value: domain, what: name }]),
    ])
  },
  campaign: async (client, signal) => {
    const { data } = await client.call('dashboard', 'GET /campaigns', { query: { limit: 100 }, signal })
    return data.map(({ id, name, status }) => ({ value: id, what: `${name}, ${status}` }))
  },
  role: async (client, signal) => {
    const { data } = await client.call('cli', 'GET /agents', { signal })
    return [...new Set(data.map(({ role }) => role))].map((role) => ({ value: role, what: 'agent' }))
  },
}
