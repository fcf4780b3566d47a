import { type Command as Known, type Complete, RootCommand, script } from '@bomb.sh/tab'
import type { Client } from '@copydesk/client'
import type { Command } from 'commander'
import { profilesFile, readProfiles } from '../account/profiles.ts'
import { operationIn, operationNamed } from '../operations/catalogue.ts'
import { isArgument, optionName } from '../operations/line.ts'
import type { Completion, Named } from '../operations/operation.ts'
import { clean } from '../paper/clean.ts'
import { bashScript } from './bash-script.ts'
import { connectionOf } from './session.ts'
import { createTalk } from './talk.ts'

/** Whoever types does not wait longer for ids than this, milliseconds. */
const patienceMs = 700

/** Prints the script that makes a shell ask for completions. */
export function printScript(program: Command, shell: string): void {
  // The script of the library for bash needs the functions of another package, and cannot be sourced twice.
  if (shell === 'bash') process.stdout.write(bashScript(program.name()))
  else script(shell, program.name(), program.name())
}

/**
 * Prints what could stand for the last of `words`, one a line with what it is. Ids come from the server, as long as it answers
 * in time; otherwise there are just none.
 */
export async function complete(program: Command, words: readonly string[], command: Command): Promise<void> {
  const root = new RootCommand()
  const meant = operationIn(words).operation
  const values = await valuesFor(meant, words, command)
  add(program, '', root, values)
  root.parse([...words])
}

interface Value {
  value: string
  what: string
}
type Values = ReadonlyMap<Completion | 'profile', readonly Value[]>

/** Adds the commands, options and arguments of a command and of those below it. */
function add(command: Command, path: string, root: RootCommand, values: Values): void {
  const help = command.createHelp()
  const known: Known = path === '' ? root : root.command(path, command.description())
  const operation = operationNamed(path)
  const options = new Set([...help.visibleOptions(command), ...help.visibleGlobalOptions(command)])
  for (const { long, description, short, required, argChoices } of options) {
    const name = long?.slice(2)
    if (name === undefined) continue
    const alias = short?.slice(1)
    // A value that may be left out is not waited for: the next word may be anything.
    if (!required) known.option(name, description, alias)
    else known.option(name, description, offering(argChoices, valuesOf(operation, name, values)), alias)
  }
  for (const argument of command.registeredArguments) {
    const offered = valuesOf(operation, argument.name().replace(/\.+$/, ''), values)
    known.argument(argument.name(), offering(argument.argChoices, offered), argument.variadic)
  }
  for (const below of help.visibleCommands(command)) {
    // Commander's own `help` has no parent that could be walked.
    if (below.name() !== 'help') add(below, `${path} ${below.name()}`.trim(), root, values)
  }
}

function valuesOf(operation: Named | undefined, spelled: string, values: Values): readonly Value[] {
  if (spelled === 'profile') return values.get('profile') ?? []
  const found = Object.entries(operation?.takes ?? {}).find(([name]) => optionName(name) === spelled)?.[1]
  const kind = found && 'completes' in found ? found.completes : undefined
  return kind === undefined ? [] : (values.get(kind) ?? [])
}

function offering(
  choices: readonly string[] | undefined,
  values: readonly Value[],
): (offer: Complete) => void {
  return (offer) => {
    for (const choice of choices ?? []) offer(choice, '')
    // What others wrote must neither move the cursor nor end the line.
    for (const { value, what } of values) offer(value, clean(what))
  }
}

/** What the words could need: profiles, and of the server only what the command takes where the cursor is. */
async function valuesFor(
  meant: Named | undefined,
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
    const { desk } = await connectionOf(command, createTalk(false))
    const signal = AbortSignal.timeout(patienceMs)
    const found = await Promise.all(kinds.map((kind) => sources[kind](desk.client, signal)))
    kinds.forEach((kind, index) => values.set(kind, found[index] ?? []))
  } catch {
    // Nobody has logged in, the server is away or too slow: there is nothing to offer, and nothing to say either.
  }
  return values
}

function neededKinds(meant: Named | undefined, words: readonly string[]): Completion[] {
  const last = words.at(-1) ?? ''
  const attached = /^(--[\w-]+)=/.exec(last)?.[1]
  if (!meant || (last.startsWith('-') && attached === undefined)) return []
  const before = attached ?? words.at(-2) ?? ''
  const isOption = before.startsWith('--')
  const parameters = Object.entries(meant.takes).filter(([name, parameter]) =>
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
      // A name that would not come through a terminal as it is, is no help.
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
